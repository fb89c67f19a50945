// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

import java.util.Locale

import org.deltacollations.collation.LocaleResolver

/**
 * Parses names of PostgreSQL: predefined collations, `de-AT-x-icu` for ICU locales, `de_AT.utf8` for
 * locales of the operating system, and the ICU locale strings with which users create collations.
 */
private[dialects] object PostgresDialect extends CollationDialect {

  override val system: String = "PostgreSQL"

  private val Predefined = "([a-z0-9-]+)-x-icu".r

  private val Libc = "([a-z]{2,3}_([a-z]{2}))(\\.[a-z0-9-]+)?(?:@([a-z]+))?".r

  private lazy val countries = Locale.getISOCountries.toSet

  override def resolve(name: String): Option[DialectMatch] = name.toLowerCase(Locale.ROOT) match {
    case "c" | "posix" | "ucs_basic" | "pg_c_utf8" | "pg_unicode_fast" =>
      Some(
        DialectMatch.exact(
          SparkCollationName.Binary,
          "both compare UTF-8 bytes if the database encoding is UTF-8."
        )
      )
    case "c.utf8" | "c.utf-8" =>
      Some(
        DialectMatch.near(
          SparkCollationName.Binary,
          Seq(
            "PostgreSQL's built-in C.UTF-8 orders by code point, as Spark does; that of the " +
              "operating system does so only in some versions."
          )
        )
      )
    case "default" =>
      Some(
        DialectMatch.none(
          "It refers to the collation of the database. Look up that collation instead."
        )
      )
    case "unicode" | "und" =>
      Some(
        DialectMatch.near(
          SparkCollationName(SparkCollationName.Root),
          Seq(DifferenceMessages.TiesByBytes, IcuVersion)
        )
      )
    case "en-us-u-va-posix-x-icu" =>
      Some(
        DialectMatch.near(
          SparkCollationName.Binary,
          Seq(
            "ASCII characters are ordered by code point, as in Spark; other characters are not."
          )
        )
      )
    case Predefined(tag) =>
      LocaleResolver.resolve(tag, anyLanguage = true).map { locale =>
        DialectMatch.near(
          SparkCollationName(locale),
          Seq(DifferenceMessages.TiesByBytes, IcuVersion)
        )
      }
    case Libc(locale, country, _, modifier) if countries(country.toUpperCase(Locale.ROOT)) =>
      LocaleResolver.resolve(withScript(locale, modifier), anyLanguage = true).map { found =>
        DialectMatch.near(
          SparkCollationName(found),
          Seq(OperatingSystem, DifferenceMessages.TiesByBytes)
        )
      }
    case other =>
      IcuSettings.parse(other).map { settings =>
        DialectMatch.near(
          settings.collation,
          settings.differences ++ Seq(Deterministic, IcuVersion)
        )
      }
  }

  /** Moves the script, which the operating system puts last (`sr_RS@latin`), before the country. */
  private def withScript(locale: String, modifier: String): String = {
    val scripts = Map("latin" -> "Latn", "cyrillic" -> "Cyrl", "devanagari" -> "Deva")
    Option(modifier).flatMap(scripts.get).fold(locale)(script =>
      locale.replace("_", s"_${script}_")
    )
  }

  private val Deterministic =
    "This assumes a collation created with deterministic = false; otherwise strings that " +
      "compare as equal are ordered by their bytes, and only identical strings are equal."

  private val IcuVersion =
    "PostgreSQL may use another ICU version than Spark, so some characters may be ordered " +
      "differently."

  private val OperatingSystem =
    "PostgreSQL uses the rules of the operating system's C library instead of CLDR's; they can " +
      "differ in detail."
}
