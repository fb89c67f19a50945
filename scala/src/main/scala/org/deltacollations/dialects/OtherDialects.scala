// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

import java.util.Locale

import org.deltacollations.collation.LocaleResolver

/** Parses names of BigQuery, which has one case-insensitive collation and the default. */
private[dialects] object BigQueryDialect extends CollationDialect {

  override val system: String = "BigQuery"

  override def resolve(name: String): Option[DialectMatch] = name.toLowerCase(Locale.ROOT) match {
    case "" => Some(DialectMatch.exact(SparkCollationName.Binary, "both order by code point."))
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

/** Parses names of SQLite without the ICU extension. */
private[dialects] object SqliteDialect extends CollationDialect {

  override val system: String = "SQLite"

  override def resolve(name: String): Option[DialectMatch] = name.toLowerCase(Locale.ROOT) match {
    case "binary" =>
      Some(
        DialectMatch.exact(
          SparkCollationName.Binary,
          "both compare bytes if the database encoding is UTF-8."
        )
      )
    case "rtrim" =>
      Some(
        DialectMatch.exact(
          SparkCollationName.Binary.ignoringTrailingSpaces,
          "both compare bytes without trailing spaces if the database encoding is UTF-8."
        )
      )
    case "nocase" =>
      Some(
        DialectMatch.near(
          SparkCollationName.Lowercase,
          Seq("Only the 26 ASCII letters are case-insensitive; in Spark é equals É too.")
        )
      )
    case _ => None
  }
}

/** Parses names of DuckDB: its own collations, ICU locales, and combinations joined by dots. */
private[dialects] object DuckDbDialect extends CollationDialect {

  override val system: String = "DuckDB"

  override def resolve(name: String): Option[DialectMatch] =
    name.toLowerCase(Locale.ROOT).split("\\.", -1).toSeq match {
      case Seq("binary" | "c" | "posix") =>
        Some(DialectMatch.exact(SparkCollationName.Binary, "both compare UTF-8 bytes."))
      case Seq("nocase") =>
        Some(
          DialectMatch.near(
            SparkCollationName.Lowercase,
            Seq("Case mappings can differ beyond ASCII.")
          )
        )
      case Seq("nfc") =>
        Some(
          DialectMatch.near(
            SparkCollationName(SparkCollationName.Root),
            Seq(orderedByBytes("in NFC"))
          )
        )
      case parts if parts.distinct != parts => None
      case parts if parts.forall(modifiers) => Some(ofModifiers(parts.toSet))
      case parts =>
        val (options, locales) = parts.partition(modifiers)
        locales match {
          case Seq(locale) => ofLocale(locale, options.toSet)
          case _ => None
        }
    }

  private val modifiers = Set("nocase", "noaccent", "icu_noaccent")

  private def ofModifiers(options: Set[String]): DialectMatch =
    DialectMatch.near(
      SparkCollationName(
        SparkCollationName.Root,
        ignoresCase = options("nocase"),
        ignoresAccents = options != Set("nocase")
      ),
      Seq(orderedByBytes("without accents"))
    )

  /** DuckDB registers the locales that ICU lists, and so does Spark. */
  private def ofLocale(locale: String, options: Set[String]): Option[DialectMatch] =
    LocaleResolver.resolveExactly(locale).map { found =>
      DialectMatch.near(
        SparkCollationName(
          found,
          ignoresCase = options("nocase"),
          ignoresAccents = options("noaccent") || options("icu_noaccent")
        ),
        Seq(DifferenceMessages.Version)
      )
    }

  private def orderedByBytes(form: String) =
    s"Strings are ordered by their bytes $form; Spark orders them linguistically."
}
