// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.elsewhere

import java.util.Locale

/** BigQuery: case-insensitive, or no collation at all. */
private[elsewhere] object BigQuery extends NamedSystem {

  override val system: String = "BigQuery"

  override def answer(name: String): Option[Answer] = name.toLowerCase(Locale.ROOT) match {
    case "" => Some(Answer.exact(SparkCollation.Binary, "both order by code points."))
    case "und:ci" | "unicode:ci" =>
      Some(
        Answer.near(
          SparkCollation(SparkCollation.Root, ignoresCase = true),
          Seq(Sentences.Version)
        )
      )
    case _ => None
  }
}

/** SQLite, as it comes, without the ICU extension. */
private[elsewhere] object Sqlite extends NamedSystem {

  override val system: String = "SQLite"

  override def answer(name: String): Option[Answer] = name.toLowerCase(Locale.ROOT) match {
    case "binary" =>
      Some(
        Answer.exact(
          SparkCollation.Binary,
          "both compare bytes, if the encoding of the database is UTF-8."
        )
      )
    case "rtrim" =>
      Some(
        Answer.exact(
          SparkCollation.Binary.withoutTrailingSpaces,
          "both compare bytes once trailing spaces are cut off, if the encoding is UTF-8."
        )
      )
    case "nocase" =>
      Some(
        Answer.near(
          SparkCollation.Lowercase,
          Seq("Only the 26 letters of ASCII lose their case; in Spark é equals É too.")
        )
      )
    case _ => None
  }
}

/** DuckDB: its own collations, those of ICU by locale, and both joined by dots. */
private[elsewhere] object DuckDb extends NamedSystem {

  override val system: String = "DuckDB"

  override def answer(name: String): Option[Answer] =
    name.toLowerCase(Locale.ROOT).split("\\.", -1).toSeq match {
      case Seq("binary" | "c" | "posix") =>
        Some(Answer.exact(SparkCollation.Binary, "both compare the bytes of UTF-8."))
      case Seq("nocase") =>
        Some(
          Answer.near(
            SparkCollation.Lowercase,
            Seq("Which letters are a pair of upper and lower case can differ beyond ASCII.")
          )
        )
      case Seq("nfc") =>
        Some(Answer.near(SparkCollation(SparkCollation.Root), Seq(bytes("in NFC"))))
      case parts if parts.distinct != parts => None
      case parts if parts.forall(own) => Some(ofBytes(parts.toSet))
      case parts =>
        val (options, locales) = parts.partition(own)
        locales match {
          case Seq(locale) => ofLocale(locale, options.toSet)
          case _ => None
        }
    }

  private val own = Set("nocase", "noaccent", "icu_noaccent")

  private def ofBytes(options: Set[String]): Answer =
    Answer.near(
      SparkCollation(
        SparkCollation.Root,
        ignoresCase = options("nocase"),
        ignoresAccents = options != Set("nocase")
      ),
      Seq(bytes("without accents"))
    )

  /** DuckDB registers the locales that ICU lists, which are Spark's too. */
  private def ofLocale(locale: String, options: Set[String]): Option[Answer] =
    Locales.listed(locale).map { found =>
      Answer.near(
        SparkCollation(
          found,
          ignoresCase = options("nocase"),
          ignoresAccents = options("noaccent") || options("icu_noaccent")
        ),
        Seq(Sentences.Version)
      )
    }

  private def bytes(form: String) =
    s"Strings are ordered by their bytes $form; in Spark by letters."
}
