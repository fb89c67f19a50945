// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

/** Maps the languages in names of Oracle, in lowercase, to locales. */
private[dialects] object OracleLocales {

  /** Maps monolingual collations, extended ones with the prefix X, and multilingual ones. */
  def ofSort(name: String): Option[LocaleMapping] =
    multilingual
      .get(name)
      .orElse(monolingual.get(name).map(LocaleMapping(_)))
      .orElse(Option.when(name.startsWith("x"))(name.drop(1)).filter(extended).flatMap(ofExtended))

  /** Maps the tailorings of the Unicode Collation Algorithm. */
  def ofUca(word: String): Option[LocaleMapping] = tailored.get(word)

  private val spanish = LocaleMapping("es", Some(DifferenceMessages.TraditionalSpanish))

  private val extended = Set(
    "azerbaijani",
    "catalan",
    "croatian",
    "czech",
    "czech_punctuation",
    "danish",
    "dutch",
    "french",
    "german",
    "german_din",
    "hungarian",
    "punctuation",
    "slovak",
    "slovenian",
    "spanish",
    "swiss",
    "turkish",
    "west_european"
  )

  private def ofExtended(name: String): Option[LocaleMapping] =
    if (name == "spanish") Some(spanish) else monolingual.get(name).map(LocaleMapping(_))

  val monolingual: Map[String, String] = Map(
    "arabic" -> "ar",
    "azerbaijani" -> "az",
    "bengali" -> "bn",
    "bulgarian" -> "bg",
    "canadian french" -> "fr_CAN",
    "catalan" -> "ca",
    "croatian" -> "hr",
    "czech" -> "cs",
    "czech_punctuation" -> "cs",
    "danish" -> "da",
    "dutch" -> "nl",
    "estonian" -> "et",
    "finnish" -> "fi",
    "french" -> "fr",
    "german" -> "de",
    "german_din" -> "de",
    "greek" -> "el",
    "hebrew" -> "he",
    "hungarian" -> "hu",
    "icelandic" -> "is",
    "indonesian" -> "id",
    "italian" -> "it",
    "latin" -> SparkCollationName.Root,
    "latvian" -> "lv",
    "lithuanian" -> "lt",
    "malay" -> "ms",
    "norwegian" -> "nb",
    "polish" -> "pl",
    "punctuation" -> SparkCollationName.Root,
    "romanian" -> "ro",
    "russian" -> "ru",
    "slovak" -> "sk",
    "slovenian" -> "sl",
    "spanish" -> "es",
    "swedish" -> "sv",
    "swiss" -> "de",
    "thai_dictionary" -> "th",
    "turkish" -> "tr",
    "ukrainian" -> "uk",
    "vietnamese" -> "vi",
    "west_european" -> SparkCollationName.Root
  )

  val multilingual: Map[String, LocaleMapping] = Map(
    "canadian_m" -> LocaleMapping("fr_CAN"),
    "danish_m" -> LocaleMapping("da"),
    "french_m" -> LocaleMapping(
      "fr",
      Some(
        "Accents are compared from the end of the string, so côte comes before coté; in Spark it " +
          "comes after."
      )
    ),
    "generic_m" ->
      LocaleMapping(SparkCollationName.Root, Some("It follows ISO 14651; Spark follows CLDR.")),
    "japanese_m" -> LocaleMapping("ja", Some("Characters are ordered as in Shift JIS.")),
    "korean_m" -> LocaleMapping("ko", Some("All Hangul comes before all Hanja.")),
    "schinese_pinyin_m" -> LocaleMapping("zh"),
    "schinese_radical_m" -> radicals("zh", "pronunciation"),
    "schinese_stroke_m" -> LocaleMapping("zh_Hant"),
    "spanish_m" -> spanish,
    "tchinese_radical_m" -> radicals("zh_Hant", "stroke count"),
    "tchinese_stroke_m" -> LocaleMapping("zh_Hant"),
    "thai_m" -> LocaleMapping("th")
  )

  private def radicals(locale: String, order: String): LocaleMapping =
    LocaleMapping(
      locale,
      Some(s"Han characters are ordered by radical; in Spark's $locale, by $order.")
    )

  val tailored: Map[String, LocaleMapping] = Map(
    "cfrench" -> LocaleMapping("fr_CAN"),
    "danish" -> LocaleMapping("da"),
    "ducet" -> LocaleMapping(SparkCollationName.Root),
    "japanese" -> LocaleMapping("ja"),
    "korean" -> LocaleMapping("ko"),
    "oraducet" -> LocaleMapping(SparkCollationName.Root),
    "root" -> LocaleMapping(SparkCollationName.Root),
    "schinese" -> LocaleMapping("zh"),
    "spanish" -> LocaleMapping("es"),
    "tchinese" -> LocaleMapping("zh_Hant"),
    "thai" -> LocaleMapping("th"),
    "tspanish" -> spanish
  )
}
