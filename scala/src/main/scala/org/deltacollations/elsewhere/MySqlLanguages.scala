// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.elsewhere

/** The languages in MySQL's names: words up to Unicode 5.2 and in MariaDB, codes since 9.0. */
private[elsewhere] object MySqlLanguages {

  def ofWord(word: Option[String]): Option[Language] = word.fold(root)(words.get)

  def ofCode(code: Option[String]): Option[Language] = code match {
    case None => root
    case Some("de_pb") => Some(german)
    case Some("es_trad") => Some(spanish)
    case Some("la") => Some(latin)
    case Some("mn_cyrl") => Some(Language("mn"))
    case Some("sr_latn") => Some(Language("sr_Latn"))
    case Some(plain) => Option.when(codes(plain))(Language(plain))
  }

  private val root: Option[Language] = Some(Language(SparkCollation.Root))

  private val german = Language("de", Some(Sentences.Phonebook))

  private val spanish = Language("es", Some(Sentences.TraditionalSpanish))

  private val latin =
    Language(
      SparkCollation.Root,
      Some("In classical Latin I equals J and U equals V; not in Spark.")
    )

  private val codes = Set(
    "bg",
    "bs",
    "cs",
    "da",
    "eo",
    "es",
    "et",
    "gl",
    "hr",
    "hu",
    "is",
    "ja",
    "lt",
    "lv",
    "nb",
    "nn",
    "pl",
    "ro",
    "ru",
    "sk",
    "sl",
    "sv",
    "tr",
    "vi",
    "zh"
  )

  val words: Map[String, Language] = Map(
    "german2" -> german,
    "roman" -> latin,
    "spanish2" -> spanish
  ) ++ Map(
    "bulgarian" -> "bg",
    "chinese" -> "zh",
    "croatian" -> "hr",
    "czech" -> "cs",
    "danish" -> "da",
    "english" -> "en",
    "esperanto" -> "eo",
    "estonian" -> "et",
    "german1" -> "de",
    "hungarian" -> "hu",
    "icelandic" -> "is",
    "japanese" -> "ja",
    "korean" -> "ko",
    "latvian" -> "lv",
    "lithuanian" -> "lt",
    "myanmar" -> "my",
    "persian" -> "fa",
    "polish" -> "pl",
    "romanian" -> "ro",
    "sinhala" -> "si",
    "slovak" -> "sk",
    "slovenian" -> "sl",
    "spanish" -> "es",
    "swedish" -> "sv",
    "thai" -> "th",
    "turkish" -> "tr",
    "ukrainian" -> "uk",
    "vietnamese" -> "vi"
  ).map { case (word, locale) => word -> Language(locale) }
}
