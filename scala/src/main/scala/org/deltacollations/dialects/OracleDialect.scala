// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

import java.util.Locale

/**
 * Parses names of Oracle: `BINARY`, a language such as `XGERMAN`, a multilingual collation such as
 * `FRENCH_M`, or one of the Unicode Collation Algorithm such as `UCA0700_DUCET_S3_VN`, each optionally
 * with the suffix `_CI` or `_AI`. `_AI` ignores case as well.
 */
private[dialects] object OracleDialect extends CollationDialect {

  override val system: String = "Oracle"

  private val Uca = "uca(06[12]0|0700|1210)_([a-z]+)[1-3]?((?:_[a-z][a-z0-9])*)".r

  override def resolve(name: String): Option[DialectMatch] = name.toLowerCase(Locale.ROOT) match {
    case "binary" =>
      Some(
        DialectMatch.exact(
          SparkCollationName.Binary,
          "both compare bytes if the type is VARCHAR2 and the character set is AL32UTF8. CHAR " +
            "is padded with spaces."
        )
      )
    case "binary_ci" => Some(DialectMatch.near(SparkCollationName.Lowercase, Seq(BinaryCi)))
    case "binary_ai" =>
      Some(
        DialectMatch.near(
          SparkCollationName(SparkCollationName.Root, ignoresCase = true, ignoresAccents = true),
          Seq("Strings are ordered by their bytes; Spark orders them linguistically.")
        )
      )
    case "unicode_binary" =>
      Some(DialectMatch.near(
        SparkCollationName.Binary,
        Seq("The name suggests code point order, which this mapping assumes.")
      ))
    case using if using.matches("using_nls_(comp|sort|sort_(ci|ai|cs|var1|var1_ci|var1_ai))") =>
      Some(
        DialectMatch.none(
          "It refers to the collation that the NLS parameters of the session select. Look up that " +
            "collation instead."
        )
      )
    case Uca(version, word, parameters) =>
      OracleLocales.ofUca(word).map(unicode(version, word, _, parameters.split('_').toSet))
    case other =>
      val ignoresAccents = other.endsWith("_ai")
      val ignoresCase = ignoresAccents || other.endsWith("_ci")
      val order = if (ignoresCase) other.dropRight(3) else other
      OracleLocales.ofSort(order).map { language =>
        // Only this one is documented to order uppercase first, as Spark's da does.
        val hasSameCaseOrder = ignoresCase || order == "danish_m"
        val locale = language.locale
        DialectMatch.near(
          SparkCollationName(locale, ignoresCase, ignoresAccents),
          language.difference.toSeq ++ DifferenceMessages.ofLocale(locale, hasSameCaseOrder) :+
            OwnRules
        )
      }
  }

  private def unicode(
      version: String,
      word: String,
      language: LocaleMapping,
      parameters: Set[String]
  ): DialectMatch = {
    val ignoresAccents = parameters("ai") || parameters("s1")
    val ignoresCase = ignoresAccents || parameters("ci") || parameters("s2")
    val isShifted = parameters("vs") || word == "ducet" && !parameters("vn") && !parameters("vb")
    val collation = SparkCollationName(language.locale, ignoresCase, ignoresAccents)
    DialectMatch.near(
      collation,
      Option.when(isShifted)(Shifted).toSeq ++ language.difference :+
        s"The weights are those of Unicode ${number(version)}; Spark uses those of CLDR, so " +
        s"symbols are ordered differently. Unicode ${number(version)} does not include newer " +
        "characters."
    )
  }

  /** Formats `0700` as 7.0 and `1210` as 12.1. */
  private def number(version: String): String =
    s"${version.take(2).toInt}.${version.drop(2).head}"

  private val BinaryCi =
    "Strings are compared by their bytes in the database's character set, ignoring case; Spark " +
      "compares the lowercase strings in UTF-8. Case mappings can differ beyond ASCII."

  private val Shifted =
    "Spaces and punctuation are ignored, or compared only if strings are otherwise equal, so ab " +
      "comes before a-c; in Spark they are compared like other characters, and a-c comes before " +
      "ab."

  private val OwnRules = "Oracle uses its own rules instead of CLDR's; they can differ in detail."
}
