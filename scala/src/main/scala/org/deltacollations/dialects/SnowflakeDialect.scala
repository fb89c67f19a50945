// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

import java.util.Locale

import org.deltacollations.collation.LocaleResolver

/** Snowflake: a locale or `utf8`, then specifiers behind hyphens, as in `de-ci-ai-rtrim`. */
private[dialects] object SnowflakeDialect extends CollationDialect {

  override val system: String = "Snowflake"

  private val conversions = Set("upper", "lower", "trim", "ltrim", "rtrim")

  private val specifiers = conversions ++ Set("cs", "ci", "as", "ai", "ps", "pi", "fl", "fu")

  override def answer(name: String): Option[DialectMatch] = {
    val parts = name.toLowerCase(Locale.ROOT).split("-", -1).toSeq
    parts match {
      case Seq("") | Seq("utf8") =>
        Some(DialectMatch.exact(SparkCollationName.Binary, "both order by code points."))
      case "utf8" +: converted if converted.forall(conversions) => Some(unicode(converted.toSet))
      case converted if converted.forall(conversions) => Some(unicode(converted.toSet))
      case locale +: rest if rest.forall(specifiers) && rest.distinct == rest =>
        LocaleResolver.nearest(locale).filter(_ => locale != "und").map(found =>
          ofLocale(found, rest.toSet)
        )
      case _ => None
    }
  }

  /** Without a locale: the order of code points, after a conversion. */
  private def unicode(told: Set[String]): DialectMatch = {
    val isLettered = told("upper") || told("lower")
    val base = if (isLettered) SparkCollationName.Lowercase else SparkCollationName.Binary
    val letters = Seq(
      Option.when(told("upper"))(
        "Strings are compared in upper case, in Spark in lower case: characters between the two, " +
          "such as the underscore, come after letters instead of before them."
      ),
      Option.when(told("lower"))(
        "Spark takes lower case character by character, which for a few letters is not what " +
          "lower() gives."
      )
    ).flatten
    val collation = base.copy(ignoresTrailingSpaces = told("trim") || told("rtrim"))
    DialectMatch.near(collation, letters ++ leadingSpaces(told) ++ trailingSpaces(told))
  }

  private def ofLocale(locale: String, told: Set[String]): DialectMatch = {
    val collation = SparkCollationName(
      locale,
      ignoresCase = told("ci") || told("upper") || told("lower"),
      ignoresAccents = told("ai"),
      ignoresTrailingSpaces = told("trim") || told("rtrim")
    )
    val isUpperFirst = LocaleResolver.upperFirst(locale) && !collation.ignoresCase
    val options = Seq(
      Option.when(told("pi"))("Punctuation is ignored, so A-B-C equals ABC; in Spark it counts."),
      Option.when(told("fu") && !isUpperFirst)(DifferenceMessages.UpperFirst),
      Option.when(told("fl") && isUpperFirst)(
        s"Lower case comes before upper case; in Spark's $locale it comes after."
      ),
      Option.when(told("upper"))("Strings are turned to upper case first; Spark ignores case."),
      Option.when(told("lower"))("Strings are turned to lower case first; Spark ignores case.")
    ).flatten
    DialectMatch.near(collation, options ++ leadingSpaces(told) :+ DifferenceMessages.Version)
  }

  private def leadingSpaces(told: Set[String]): Seq[String] =
    Option.when(told("trim") || told("ltrim"))(
      "Leading spaces are ignored; in Spark they count."
    ).toSeq

  private def trailingSpaces(told: Set[String]): Seq[String] =
    Option.when(told("rtrim"))("Spark cuts off spaces, U+0020, and no other blanks.").toSeq
}
