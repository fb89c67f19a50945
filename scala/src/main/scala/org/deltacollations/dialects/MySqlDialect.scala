// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

import java.util.Locale

/**
 * Parses names of MySQL and MariaDB: a character set, a language, a Unicode version and sensitivities,
 * as in `utf8mb4_de_pb_0900_ai_ci`, `utf8mb4_unicode_520_ci`, `latin1_swedish_ci` and
 * `uca1400_nopad_as_cs`.
 */
private[dialects] object MySqlDialect extends CollationDialect {

  override val system: String = "MySQL/MariaDB"

  private val utf8 = Set("utf8mb4", "utf8mb3", "utf8")

  private val unicode = utf8 ++ Set("ucs2", "utf16", "utf16le", "utf32")

  /** Character sets that include characters above U+FFFF. */
  private val supplementary = Set("utf8mb4", "utf16", "utf16le", "utf32")

  private val legacy = Set(
    "armscii8",
    "ascii",
    "big5",
    "cp1250",
    "cp1251",
    "cp1256",
    "cp1257",
    "cp850",
    "cp852",
    "cp866",
    "cp932",
    "dec8",
    "eucjpms",
    "euckr",
    "gb18030",
    "gb2312",
    "gbk",
    "geostd8",
    "greek",
    "hebrew",
    "hp8",
    "keybcs2",
    "koi8r",
    "koi8u",
    "latin1",
    "latin2",
    "latin5",
    "latin7",
    "macce",
    "macroman",
    "sjis",
    "swe7",
    "tis620",
    "ujis"
  )

  private val Uca9 = "(?:([a-z]+(?:_[a-z]+)?)_)?0900_(ai|as)_(ci|cs)(_ks)?".r

  private val Uca14 = "uca1400(?:_(?!nopad)([a-z]+[0-9]?))?(_nopad)?_(ai|as)_(ci|cs)".r

  private val Older = "([a-z]+[0-9]?)(_520|_mysql561)?(_nopad)?_(ci|cs)".r

  override def resolve(name: String): Option[DialectMatch] = {
    val (charset, rest) = name.toLowerCase(Locale.ROOT).span(_ != '_')
    (charset, rest.drop(1)) match {
      case ("binary", "") =>
        Some(DialectMatch.exact(SparkCollationName.Binary, "both compare bytes."))
      case ("uca1400", _) => ofUnicode(charset, name.toLowerCase(Locale.ROOT))
      case (_, "bin" | "nopad_bin") if unicode(charset) || legacy(charset) =>
        Some(binary(charset, isPadded = rest == "_bin"))
      case ("utf8mb4", "0900_bin") => Some(binary(charset, isPadded = false))
      case (_, order) if unicode(charset) => ofUnicode(charset, order)
      case (_, order) if legacy(charset) => ofLegacy(charset, order)
      case _ => None
    }
  }

  private def binary(charset: String, isPadded: Boolean): DialectMatch = {
    val encoding = Option.unless(utf8(charset))(
      s"Strings are compared in the encoding $charset; in Spark, in UTF-8."
    )
    if (isPadded)
      DialectMatch.near(
        SparkCollationName.Binary.ignoringTrailingSpaces,
        encoding.toSeq :+ DifferenceMessages.Padding
      )
    else if (utf8(charset))
      DialectMatch.exact(SparkCollationName.Binary, "both order by code point.")
    else DialectMatch.near(SparkCollationName.Binary, encoding.toSeq)
  }

  private def ofUnicode(charset: String, order: String): Option[DialectMatch] = order match {
    case Uca9(code, accents, letterCase, kana) =>
      MySqlLocales.ofCode(Option(code)).map { language =>
        near(
          language,
          letterCase == "ci",
          accents == "ai",
          isPadded = false,
          "9.0",
          Seq(
            Option.when(kana != null)("Hiragana and katakana differ; in Spark's ja they are equal.")
          ).flatten
        )
      }
    case Uca14(word, nopad, accents, letterCase) =>
      MySqlLocales.ofWord(Option(word)).map { language =>
        near(language, letterCase == "ci", accents == "ai", nopad == null, "14.0", Nil)
      }
    case Older("general", null, nopad, "ci") =>
      Some(near(
        LocaleMapping(SparkCollationName.Root),
        ignoresCase = true,
        ignoresAccents = true,
        isPadded = nopad == null,
        more = General +: equalSupplementary(charset)
      ))
    case Older(word, version, nopad, "ci") =>
      val isNewer = Option(version).exists(_.startsWith("_520"))
      MySqlLocales.ofWord(Option(word).filter(_ != "unicode")).map { language =>
        near(
          language,
          ignoresCase = true,
          ignoresAccents = true,
          isPadded = nopad == null,
          if (isNewer) "5.2" else "4.0",
          if (isNewer) Nil else equalSupplementary(charset)
        )
      }
    case _ => None
  }

  /** Single-byte and Asian multi-byte character sets, which have their own tables of weights. */
  private def ofLegacy(charset: String, order: String): Option[DialectMatch] = order match {
    case Older(word, null, nopad, letterCase) =>
      MySqlLocales.ofWord(Option(word).filter(_ != "general")).map { language =>
        // By MySQL's naming convention _ci ignores accents, but the weights of this one do not.
        val isAccentSensitive = charset == "latin1" && word == "general"
        near(
          language,
          ignoresCase = letterCase == "ci",
          ignoresAccents = letterCase == "ci" && !isAccentSensitive,
          isPadded = nopad == null,
          more = (if (charset == "latin1") latin1(word, letterCase) else Nil) :+
            s"The weights are specific to the character set $charset and can differ in detail."
        )
      }
    case Older("unicode", "_520", null, "ci") if charset == "gb18030" =>
      ofUnicode(charset, order)
    case _ => None
  }

  private def near(
      language: LocaleMapping,
      ignoresCase: Boolean,
      ignoresAccents: Boolean,
      isPadded: Boolean,
      version: String,
      more: Seq[String]
  ): DialectMatch = near(language, ignoresCase, ignoresAccents, isPadded, uca(version) +: more)

  private def near(
      language: LocaleMapping,
      ignoresCase: Boolean,
      ignoresAccents: Boolean,
      isPadded: Boolean,
      more: Seq[String]
  ): DialectMatch = DialectMatch.near(
    SparkCollationName(language.locale, ignoresCase, ignoresAccents, isPadded),
    Option.when(isPadded)(DifferenceMessages.Padding).toSeq ++ language.difference ++ more
  )

  private def uca(version: String) =
    s"The weights are those of the Unicode Collation Algorithm $version; Spark uses those of " +
      s"CLDR, so symbols are ordered differently. Version $version does not include newer " +
      "characters."

  private val General =
    "Characters are compared one by one, so ß equals s; in Spark ß equals ss."

  private def equalSupplementary(charset: String): Seq[String] =
    Option.when(supplementary(charset))(
      "All characters above U+FFFF, including emoji, are equal; in Spark they differ."
    ).toSeq

  /** Describes differences of the weights for latin1, by the language in the name. */
  private def latin1(word: String, letterCase: String): Seq[String] = word match {
    case "danish" | "swedish" => Seq("ß is a separate letter after z; in Spark it equals ss.")
    case "german1" => Seq(General)
    case "general" =>
      "Accented letters are separate letters, so áa comes after ab; in Spark it comes before." +:
        Option.when(letterCase == "cs")(DifferenceMessages.UpperFirst).toSeq
    case _ => Nil
  }
}
