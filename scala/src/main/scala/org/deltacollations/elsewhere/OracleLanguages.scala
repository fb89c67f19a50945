// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.elsewhere

/** The languages in Oracle's names, in lower case. */
private[elsewhere] object OracleLanguages {

  /** A monolingual order, an extended one with an X before it, or a multilingual one. */
  def ofSort(name: String): Option[Language] =
    multilingual
      .get(name)
      .orElse(monolingual.get(name).map(Language(_)))
      .orElse(Option.when(name.startsWith("x"))(name.drop(1)).filter(extended).flatMap(ofExtended))

  /** What the Unicode Collation Algorithm is tailored to. */
  def ofUca(word: String): Option[Language] = tailored.get(word)

  private val spanish = Language("es", Some(Sentences.TraditionalSpanish))

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

  private def ofExtended(name: String): Option[Language] =
    if (name == "spanish") Some(spanish) else monolingual.get(name).map(Language(_))

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
    "latin" -> SparkCollation.Root,
    "latvian" -> "lv",
    "lithuanian" -> "lt",
    "malay" -> "ms",
    "norwegian" -> "nb",
    "polish" -> "pl",
    "punctuation" -> SparkCollation.Root,
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
    "west_european" -> SparkCollation.Root
  )

  val multilingual: Map[String, Language] = Map(
    "canadian_m" -> Language("fr_CAN"),
    "danish_m" -> Language("da"),
    "french_m" -> Language(
      "fr",
      Some("Accents are compared from the end, so côte comes before coté; in Spark after it.")
    ),
    "generic_m" -> Language(SparkCollation.Root, Some("It follows ISO 14651, Spark CLDR.")),
    "japanese_m" -> Language("ja", Some("Characters are in the order of SJIS.")),
    "korean_m" -> Language("ko", Some("All Hangul comes before all Hanja.")),
    "schinese_pinyin_m" -> Language("zh"),
    "schinese_radical_m" -> radicals("zh", "pronunciation"),
    "schinese_stroke_m" -> Language("zh_Hant"),
    "spanish_m" -> spanish,
    "tchinese_radical_m" -> radicals("zh_Hant", "strokes"),
    "tchinese_stroke_m" -> Language("zh_Hant"),
    "thai_m" -> Language("th")
  )

  private def radicals(locale: String, order: String): Language =
    Language(locale, Some(s"Han is ordered by radicals; in Spark's $locale by $order."))

  val tailored: Map[String, Language] = Map(
    "cfrench" -> Language("fr_CAN"),
    "danish" -> Language("da"),
    "ducet" -> Language(SparkCollation.Root),
    "japanese" -> Language("ja"),
    "korean" -> Language("ko"),
    "oraducet" -> Language(SparkCollation.Root),
    "root" -> Language(SparkCollation.Root),
    "schinese" -> Language("zh"),
    "spanish" -> Language("es"),
    "tchinese" -> Language("zh_Hant"),
    "thai" -> Language("th"),
    "tspanish" -> spanish
  )
}
