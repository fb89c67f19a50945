// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

/** Maps the first part of names of SQL Server, in lowercase, to locales. */
private[dialects] object SqlServerLocales {

  def ofWindows(designator: String): Option[LocaleMapping] =
    special.get(designator).orElse(plain.get(designator).map(LocaleMapping(_)))

  /** Maps the languages of the `SQL_` collations, of which there are fewer. */
  def ofSql(sortRules: String): Option[LocaleMapping] = sortRules match {
    case "swedishphone" | "swedishstd" | "scandinavian" => Some(LocaleMapping("sv"))
    case "danish" => Some(LocaleMapping("da"))
    case "1xcompat" | "altdiction" | "altdiction2" | "mixdiction" => root
    case _ => Option.when(sql(sortRules))(sortRules).flatMap(ofWindows)
  }

  private val root: Option[LocaleMapping] = Some(LocaleMapping(SparkCollationName.Root))

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
    "azeri_cyrillic" -> SparkCollationName.Root,
    "azeri_latin" -> "az",
    "bashkir" -> SparkCollationName.Root,
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
    "corsican" -> SparkCollationName.Root,
    "croatian" -> "hr",
    "cyrillic_general" -> SparkCollationName.Root,
    "czech" -> "cs",
    "dari" -> "fa_AFG",
    "divehi" -> SparkCollationName.Root,
    "estonian" -> "et",
    "french" -> "fr",
    "frisian" -> "fy",
    "greek" -> "el",
    "hebrew" -> "he",
    "hindi" -> "hi",
    "hungarian" -> "hu",
    "icelandic" -> "is",
    "indic_general" -> SparkCollationName.Root,
    "japanese" -> "ja",
    "japanese_unicode" -> "ja",
    "japanese_xjis" -> "ja",
    "kazakh" -> "kk",
    "khmer" -> "km",
    "korean" -> "ko",
    "korean_wansung" -> "ko",
    "korean_wansung_unicode" -> "ko",
    "lao" -> "lo",
    "latin1_general" -> SparkCollationName.Root,
    "latvian" -> "lv",
    "lithuanian" -> "lt",
    "macedonian" -> "mk",
    "macedonian_fyrom" -> "mk",
    "maltese" -> "mt",
    "maori" -> SparkCollationName.Root,
    "mapudungan" -> SparkCollationName.Root,
    "modern_spanish" -> "es",
    "mohawk" -> SparkCollationName.Root,
    "nepali" -> "ne",
    "norwegian" -> "nb",
    "pashto" -> "ps",
    "persian" -> "fa",
    "polish" -> "pl",
    "romanian" -> "ro",
    "romansh" -> SparkCollationName.Root,
    "sami_norway" -> "se",
    "sami_sweden_finland" -> "se",
    "serbian_cyrillic" -> "sr",
    "serbian_latin" -> "sr_Latn",
    "slovak" -> "sk",
    "slovenian" -> "sl",
    "syriac" -> SparkCollationName.Root,
    "tamazight" -> SparkCollationName.Root,
    "tatar" -> SparkCollationName.Root,
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
    "yakut" -> SparkCollationName.Root
  )

  val special: Map[String, LocaleMapping] = Map(
    "chinese_prc_stroke" -> strokes,
    "chinese_simplified_stroke_order" -> strokes,
    "chinese_taiwan_bopomofo" -> bopomofo,
    "chinese_traditional_bopomofo" -> bopomofo,
    "danish_greenlandic" -> danish,
    "danish_norwegian" -> danish,
    "finnish_swedish" -> LocaleMapping("sv", Some("For Finnish text Spark also has fi.")),
    "georgian_modern_sort" -> variant("ka", "Georgian"),
    "german_phonebook" -> LocaleMapping("de", Some(DifferenceMessages.Phonebook)),
    "hungarian_technical" -> variant("hu", "Hungarian"),
    "japanese_bushu_kakusu" -> LocaleMapping(
      "ja",
      Some("Kanji are ordered by radical and stroke count; in Spark, as in the JIS standards.")
    ),
    "lithuanian_classic" -> variant("lt", "Lithuanian"),
    "traditional_spanish" -> LocaleMapping("es", Some(DifferenceMessages.TraditionalSpanish))
  )

  private def danish = LocaleMapping("da", Some("For Norwegian text Spark also has nb and nn."))

  private def strokes =
    LocaleMapping("zh_Hant", Some("Spark orders by stroke count only in zh_Hant."))

  private def bopomofo =
    LocaleMapping(
      "zh_Hant",
      Some("Han characters are ordered by Bopomofo; in Spark's zh_Hant, by stroke count.")
    )

  private def variant(locale: String, language: String): LocaleMapping =
    LocaleMapping(
      locale,
      Some(s"This is an alternative order for $language; Spark has only the standard one.")
    )
}
