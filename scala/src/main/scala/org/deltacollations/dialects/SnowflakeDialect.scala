// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

import java.util.Locale

import org.deltacollations.collation.LocaleResolver

/** Parses names of Snowflake: a locale or `utf8`, then specifiers, as in `de-ci-ai-rtrim`. */
private[dialects] object SnowflakeDialect extends CollationDialect {

  override val system: String = "Snowflake"

  private val conversions = Set("upper", "lower", "trim", "ltrim", "rtrim")

  private val specifiers = conversions ++ Set("cs", "ci", "as", "ai", "ps", "pi", "fl", "fu")

  override def resolve(name: String): Option[DialectMatch] = {
    val parts = name.toLowerCase(Locale.ROOT).split("-", -1).toSeq
    parts match {
      case Seq("") | Seq("utf8") =>
        Some(DialectMatch.exact(SparkCollationName.Binary, "both order by code point."))
      case "utf8" +: options if options.forall(conversions) => Some(ofCodePoints(options.toSet))
      case options if options.forall(conversions) => Some(ofCodePoints(options.toSet))
      case locale +: options if options.forall(specifiers) && options.distinct == options =>
        LocaleResolver.resolve(locale).filter(_ => locale != "und").map(found =>
          ofLocale(found, options.toSet)
        )
      case _ => None
    }
  }

  /** Without a locale, strings are ordered by code point after a conversion. */
  private def ofCodePoints(options: Set[String]): DialectMatch = {
    val ignoresCase = options("upper") || options("lower")
    val base = if (ignoresCase) SparkCollationName.Lowercase else SparkCollationName.Binary
    val caseDifferences = Seq(
      Option.when(options("upper"))(
        "Strings are compared in uppercase; in Spark, in lowercase. Characters between the two " +
          "ranges, such as the underscore, come after letters; in Spark, before them."
      ),
      Option.when(options("lower"))(
        "Spark converts to lowercase character by character, which differs from lower() for a " +
          "few characters."
      )
    ).flatten
    val collation = base.copy(ignoresTrailingSpaces = options("trim") || options("rtrim"))
    DialectMatch.near(
      collation,
      caseDifferences ++ leadingSpaces(options) ++ trailingSpaces(options)
    )
  }

  private def ofLocale(locale: String, options: Set[String]): DialectMatch = {
    val collation = SparkCollationName(
      locale,
      ignoresCase = options("ci") || options("upper") || options("lower"),
      ignoresAccents = options("ai"),
      ignoresTrailingSpaces = options("trim") || options("rtrim")
    )
    val isUpperCaseFirst = LocaleResolver.hasUpperCaseFirst(locale) && !collation.ignoresCase
    val differences = Seq(
      Option.when(options("pi"))(
        "Punctuation is ignored, so A-B-C equals ABC; in Spark it is significant."
      ),
      Option.when(options("fu") && !isUpperCaseFirst)(DifferenceMessages.UpperFirst),
      Option.when(options("fl") && isUpperCaseFirst)(
        s"Lowercase comes before uppercase; in Spark's $locale it comes after."
      ),
      Option.when(options("upper"))(
        "Strings are converted to uppercase before the comparison; Spark ignores case."
      ),
      Option.when(options("lower"))(
        "Strings are converted to lowercase before the comparison; Spark ignores case."
      )
    ).flatten
    DialectMatch.near(
      collation,
      differences ++ leadingSpaces(options) :+ DifferenceMessages.Version
    )
  }

  private def leadingSpaces(options: Set[String]): Seq[String] =
    Option.when(options("trim") || options("ltrim"))(
      "Leading spaces are ignored; in Spark they are significant."
    ).toSeq

  private def trailingSpaces(options: Set[String]): Seq[String] =
    Option.when(options("rtrim"))(
      "Spark trims only spaces (U+0020) and no other white space."
    ).toSeq
}
