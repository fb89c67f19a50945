// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.elsewhere

/** A language of a system: the locale in Spark, and what its order has that the locale has not. */
final private[elsewhere] case class Language(locale: String, difference: Option[String] = None)

/** The first part of SQL Server's names, in lower case. */
private[elsewhere] object SqlServerLanguages {

  def ofWindows(designator: String): Option[Language] =
    special.get(designator).orElse(plain.get(designator).map(Language(_)))

  /** The fewer languages of the `SQL_` collations. */
  def ofSql(sortRules: String): Option[Language] = sortRules match {
    case "swedishphone" | "swedishstd" | "scandinavian" => Some(Language("sv"))
    case "danish" => Some(Language("da"))
    case "1xcompat" | "altdiction" | "altdiction2" | "mixdiction" => root
    case _ => Option.when(sql(sortRules))(sortRules).flatMap(ofWindows)
  }

  private val root: Option[Language] = Some(Language(SparkCollation.Root))

  private val sql = Set(
    "croatian",
    "czech",
    "estonian",
    "hungarian",
    "icelandic",
    "latin1_general",
    "latvian",
    "lithuanian",
    "polish",
    "romanian",
    "slovak",
    "slovenian",
    "ukrainian"
  )

  val plain: Map[String, String] = Map(
    "albanian" -> "sq",
    "arabic" -> "ar",
    "assamese" -> "as",
    "azeri_cyrillic" -> SparkCollation.Root,
    "azeri_latin" -> "az",
    "bashkir" -> SparkCollation.Root,
    "bengali" -> "bn",
    "bosnian_cyrillic" -> "bs_Cyrl",
    "bosnian_latin" -> "bs",
    "breton" -> "br",
    "chinese_hong_kong_stroke" -> "zh_Hant_HKG",
    "chinese_prc" -> "zh",
    "chinese_simplified_pinyin" -> "zh",
    "chinese_taiwan_stroke" -> "zh_Hant_TWN",
    "chinese_traditional_pinyin" -> "zh",
    "chinese_traditional_stroke_count" -> "zh_Hant",
    "chinese_traditional_stroke_order" -> "zh_Hant",
    "corsican" -> SparkCollation.Root,
    "croatian" -> "hr",
    "cyrillic_general" -> SparkCollation.Root,
    "czech" -> "cs",
    "dari" -> "fa_AFG",
    "divehi" -> SparkCollation.Root,
    "estonian" -> "et",
    "french" -> "fr",
    "frisian" -> "fy",
    "greek" -> "el",
    "hebrew" -> "he",
    "hindi" -> "hi",
    "hungarian" -> "hu",
    "icelandic" -> "is",
    "indic_general" -> SparkCollation.Root,
    "japanese" -> "ja",
    "japanese_unicode" -> "ja",
    "japanese_xjis" -> "ja",
    "kazakh" -> "kk",
    "khmer" -> "km",
    "korean" -> "ko",
    "korean_wansung" -> "ko",
    "korean_wansung_unicode" -> "ko",
    "lao" -> "lo",
    "latin1_general" -> SparkCollation.Root,
    "latvian" -> "lv",
    "lithuanian" -> "lt",
    "macedonian" -> "mk",
    "macedonian_fyrom" -> "mk",
    "maltese" -> "mt",
    "maori" -> SparkCollation.Root,
    "mapudungan" -> SparkCollation.Root,
    "modern_spanish" -> "es",
    "mohawk" -> SparkCollation.Root,
    "nepali" -> "ne",
    "norwegian" -> "nb",
    "pashto" -> "ps",
    "persian" -> "fa",
    "polish" -> "pl",
    "romanian" -> "ro",
    "romansh" -> SparkCollation.Root,
    "sami_norway" -> "se",
    "sami_sweden_finland" -> "se",
    "serbian_cyrillic" -> "sr",
    "serbian_latin" -> "sr_Latn",
    "slovak" -> "sk",
    "slovenian" -> "sl",
    "syriac" -> SparkCollation.Root,
    "tamazight" -> SparkCollation.Root,
    "tatar" -> SparkCollation.Root,
    "thai" -> "th",
    "tibetan" -> "bo",
    "turkish" -> "tr",
    "turkmen" -> "tk",
    "uighur" -> "ug",
    "ukrainian" -> "uk",
    "upper_sorbian" -> "hsb",
    "urdu" -> "ur",
    "uzbek_latin" -> "uz",
    "vietnamese" -> "vi",
    "welsh" -> "cy",
    "yakut" -> SparkCollation.Root
  )

  val special: Map[String, Language] = Map(
    "chinese_prc_stroke" -> strokes,
    "chinese_simplified_stroke_order" -> strokes,
    "chinese_taiwan_bopomofo" -> bopomofo,
    "chinese_traditional_bopomofo" -> bopomofo,
    "danish_greenlandic" -> danish,
    "danish_norwegian" -> danish,
    "finnish_swedish" -> Language("sv", Some("For Finnish text Spark also has fi.")),
    "georgian_modern_sort" -> variant("ka", "Georgian"),
    "german_phonebook" -> Language("de", Some(Sentences.Phonebook)),
    "hungarian_technical" -> variant("hu", "Hungarian"),
    "japanese_bushu_kakusu" -> Language(
      "ja",
      Some("Kanji are ordered by radical and strokes; in Spark as in the standards of JIS.")
    ),
    "lithuanian_classic" -> variant("lt", "Lithuanian"),
    "traditional_spanish" -> Language("es", Some(Sentences.TraditionalSpanish))
  )

  private def danish = Language("da", Some("For Norwegian text Spark also has nb and nn."))

  private def strokes = Language("zh_Hant", Some("Spark orders by strokes under zh_Hant only."))

  private def bopomofo =
    Language("zh_Hant", Some("Han is ordered by Bopomofo; in Spark's zh_Hant by strokes."))

  private def variant(locale: String, language: String): Language =
    Language(locale, Some(s"It is a second order of $language; Spark has only the usual one."))
}
