// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

import java.util.Locale

/**
 * Oracle: `BINARY`, a language such as `XGERMAN`, a multilingual order such as `FRENCH_M`, or the
 * Unicode Collation Algorithm such as `UCA0700_DUCET_S3_VN`, each with `_CI` or `_AI` behind it. `_AI`
 * ignores case as well.
 */
private[dialects] object OracleDialect extends CollationDialect {

  override val system: String = "Oracle"

  private val Uca = "uca(06[12]0|0700|1210)_([a-z]+)[1-3]?((?:_[a-z][a-z0-9])*)".r

  override def answer(name: String): Option[DialectMatch] = name.toLowerCase(Locale.ROOT) match {
    case "binary" =>
      Some(
        DialectMatch.exact(
          SparkCollationName.Binary,
          "both compare bytes, for VARCHAR2 in the character set AL32UTF8; CHAR is padded with spaces."
        )
      )
    case "binary_ci" => Some(DialectMatch.near(SparkCollationName.Lowercase, Seq(BinaryCi)))
    case "binary_ai" =>
      Some(
        DialectMatch.near(
          SparkCollationName(SparkCollationName.Root, ignoresCase = true, ignoresAccents = true),
          Seq("The order is that of bytes, in Spark that of letters.")
        )
      )
    case "unicode_binary" =>
      Some(DialectMatch.near(
        SparkCollationName.Binary,
        Seq("By its name it orders by code points.")
      ))
    case using if using.matches("using_nls_(comp|sort|sort_(ci|ai|cs|var1|var1_ci|var1_ai))") =>
      Some(DialectMatch.none("It stands for the collation that the parameters of a session name."))
    case Uca(version, word, parameters) =>
      OracleLocales.ofUca(word).map(unicode(version, word, _, parameters.split('_').toSet))
    case other =>
      val isAccentBlind = other.endsWith("_ai")
      val isCaseBlind = isAccentBlind || other.endsWith("_ci")
      val order = if (isCaseBlind) other.dropRight(3) else other
      OracleLocales.ofSort(order).map { language =>
        // Of all orders this one is documented to put upper case first, as Spark's da does.
        val isAlike = isCaseBlind || order == "danish_m"
        DialectMatch.near(
          SparkCollationName(language.locale, isCaseBlind, isAccentBlind),
          language.difference.toSeq ++ DifferenceMessages.ofLocale(language.locale, isAlike) :+
            OwnRules
        )
      }
  }

  private def unicode(version: String, word: String, language: LocaleMapping, told: Set[String]) = {
    val isAccentBlind = told("ai") || told("s1")
    val isCaseBlind = isAccentBlind || told("ci") || told("s2")
    val isShifted = told("vs") || word == "ducet" && !told("vn") && !told("vb")
    val collation = SparkCollationName(language.locale, isCaseBlind, isAccentBlind)
    DialectMatch.near(
      collation,
      Option.when(isShifted)(Shifted).toSeq ++ language.difference :+
        s"The weights are those of Unicode ${number(version)}, in Spark those of CLDR: symbols are " +
        "ordered differently, and newer characters are unknown there."
    )
  }

  /** `0700` is 7.0, and `1210` is 12.1. */
  private def number(version: String): String =
    s"${version.take(2).toInt}.${version.drop(2).head}"

  private val BinaryCi =
    "The bytes of the database's character set are compared with letter case set aside, in Spark " +
      "those of lower case in UTF-8; which letters are a pair can differ beyond ASCII."

  private val Shifted =
    "Spaces and punctuation count only where nothing else differs, if at all, so ab comes before " +
      "a-c; in Spark they count first, and a-c comes before ab."

  private val OwnRules = "The rules are Oracle's own, not those of CLDR, and can differ in detail."
}
