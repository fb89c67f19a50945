// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

/**
 * Maps the languages in names of MySQL and MariaDB to locales. MariaDB and MySQL up to Unicode 5.2 use
 * English words; MySQL uses language codes since Unicode 9.0.
 */
private[dialects] object MySqlLocales {

  def ofWord(word: Option[String]): Option[LocaleMapping] = word.fold(root)(words.get)

  def ofCode(code: Option[String]): Option[LocaleMapping] = code match {
    case None => root
    case Some("de_pb") => Some(german)
    case Some("es_trad") => Some(spanish)
    case Some("la") => Some(latin)
    case Some("mn_cyrl") => Some(LocaleMapping("mn"))
    case Some("sr_latn") => Some(LocaleMapping("sr_Latn"))
    case Some(plain) => Option.when(codes(plain))(LocaleMapping(plain))
  }

  private val root: Option[LocaleMapping] = Some(LocaleMapping(SparkCollationName.Root))

  private val german = LocaleMapping("de", Some(DifferenceMessages.Phonebook))

  private val spanish = LocaleMapping("es", Some(DifferenceMessages.TraditionalSpanish))

  private val latin =
    LocaleMapping(
      SparkCollationName.Root,
      Some("I equals J and U equals V, as in classical Latin; in Spark they differ.")
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

  val words: Map[String, LocaleMapping] = Map(
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
  ).map { case (word, locale) => word -> LocaleMapping(locale) }
}
