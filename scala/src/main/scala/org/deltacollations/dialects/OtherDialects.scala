// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

import java.util.Locale

import org.deltacollations.collation.LocaleResolver

/** BigQueryDialect: case-insensitive, or no collation at all. */
private[dialects] object BigQueryDialect extends CollationDialect {

  override val system: String = "BigQuery"

  override def answer(name: String): Option[DialectMatch] = name.toLowerCase(Locale.ROOT) match {
    case "" => Some(DialectMatch.exact(SparkCollationName.Binary, "both order by code points."))
    case "und:ci" | "unicode:ci" =>
      Some(
        DialectMatch.near(
          SparkCollationName(SparkCollationName.Root, ignoresCase = true),
          Seq(DifferenceMessages.Version)
        )
      )
    case _ => None
  }
}

/** SQLite, as it comes, without the ICU extension. */
private[dialects] object SqliteDialect extends CollationDialect {

  override val system: String = "SQLite"

  override def answer(name: String): Option[DialectMatch] = name.toLowerCase(Locale.ROOT) match {
    case "binary" =>
      Some(
        DialectMatch.exact(
          SparkCollationName.Binary,
          "both compare bytes, if the encoding of the database is UTF-8."
        )
      )
    case "rtrim" =>
      Some(
        DialectMatch.exact(
          SparkCollationName.Binary.withoutTrailingSpaces,
          "both compare bytes once trailing spaces are cut off, if the encoding is UTF-8."
        )
      )
    case "nocase" =>
      Some(
        DialectMatch.near(
          SparkCollationName.Lowercase,
          Seq("Only the 26 letters of ASCII lose their case; in Spark é equals É too.")
        )
      )
    case _ => None
  }
}

/** DuckDB: its own collations, those of ICU by locale, and both joined by dots. */
private[dialects] object DuckDbDialect extends CollationDialect {

  override val system: String = "DuckDB"

  override def answer(name: String): Option[DialectMatch] =
    name.toLowerCase(Locale.ROOT).split("\\.", -1).toSeq match {
      case Seq("binary" | "c" | "posix") =>
        Some(DialectMatch.exact(SparkCollationName.Binary, "both compare the bytes of UTF-8."))
      case Seq("nocase") =>
        Some(
          DialectMatch.near(
            SparkCollationName.Lowercase,
            Seq("Which letters are a pair of upper and lower case can differ beyond ASCII.")
          )
        )
      case Seq("nfc") =>
        Some(DialectMatch.near(SparkCollationName(SparkCollationName.Root), Seq(bytes("in NFC"))))
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

  private def ofBytes(options: Set[String]): DialectMatch =
    DialectMatch.near(
      SparkCollationName(
        SparkCollationName.Root,
        ignoresCase = options("nocase"),
        ignoresAccents = options != Set("nocase")
      ),
      Seq(bytes("without accents"))
    )

  /** DuckDB registers the locales that ICU lists, which are Spark's too. */
  private def ofLocale(locale: String, options: Set[String]): Option[DialectMatch] =
    LocaleResolver.listed(locale).map { found =>
      DialectMatch.near(
        SparkCollationName(
          found,
          ignoresCase = options("nocase"),
          ignoresAccents = options("noaccent") || options("icu_noaccent")
        ),
        Seq(DifferenceMessages.Version)
      )
    }

  private def bytes(form: String) =
    s"Strings are ordered by their bytes $form; in Spark by letters."
}
