// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

import java.util.Locale

import org.deltacollations.collation.LocaleResolver

/**
 * PostgreSQL: names that every database has, `de-AT-x-icu` for each locale of ICU, `de_AT.utf8` for
 * those of the operating system, and the locale strings by which users create their own.
 */
private[dialects] object PostgresDialect extends CollationDialect {

  override val system: String = "PostgreSQL"

  private val Predefined = "([a-z0-9-]+)-x-icu".r

  private val Libc = "([a-z]{2,3}_([a-z]{2}))(\\.[a-z0-9-]+)?(?:@([a-z]+))?".r

  private lazy val countries = Locale.getISOCountries.toSet

  override def answer(name: String): Option[DialectMatch] = name.toLowerCase(Locale.ROOT) match {
    case "c" | "posix" | "ucs_basic" | "pg_c_utf8" | "pg_unicode_fast" =>
      Some(
        DialectMatch.exact(
          SparkCollationName.Binary,
          "both compare the bytes of UTF-8, if that is the encoding of the database."
        )
      )
    case "c.utf8" | "c.utf-8" =>
      Some(
        DialectMatch.near(
          SparkCollationName.Binary,
          Seq(
            "PostgreSQL's own C.UTF-8 orders by code points, as Spark does; that of the operating " +
              "system does so in some versions only."
          )
        )
      )
    case "default" =>
      Some(
        DialectMatch.none("It stands for the collation of the database; ask for that one's name.")
      )
    case "unicode" | "und" =>
      Some(
        DialectMatch.near(
          SparkCollationName(SparkCollationName.Root),
          Seq(DifferenceMessages.BytesDecide, IcuVersion)
        )
      )
    case "en-us-u-va-posix-x-icu" =>
      Some(
        DialectMatch.near(
          SparkCollationName.Binary,
          Seq(
            "Characters of ASCII are in the order of their codes, as in Spark; all others are not."
          )
        )
      )
    case Predefined(tag) =>
      LocaleResolver.nearest(tag, anyLanguage = true).map { locale =>
        DialectMatch.near(
          SparkCollationName(locale),
          Seq(DifferenceMessages.BytesDecide, IcuVersion)
        )
      }
    case Libc(locale, country, _, modifier) if countries(country.toUpperCase(Locale.ROOT)) =>
      LocaleResolver.nearest(scripted(locale, modifier), anyLanguage = true).map { found =>
        DialectMatch.near(
          SparkCollationName(found),
          Seq(OperatingSystem, DifferenceMessages.BytesDecide)
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

  /** The operating system says the script behind the country, as in `sr_RS@latin`. */
  private def scripted(locale: String, modifier: String): String = {
    val scripts = Map("latin" -> "Latn", "cyrillic" -> "Cyrl", "devanagari" -> "Deva")
    Option(modifier).flatMap(scripts.get).fold(locale)(script =>
      locale.replace("_", s"_${script}_")
    )
  }

  private val Deterministic =
    "The answer is for a collation created with deterministic = false; otherwise strings the rules " +
      "find equal are ordered by their bytes, and only identical strings are equal."

  private val IcuVersion =
    "The ICU of PostgreSQL may be of another version than Spark's, in which some characters moved."

  private val OperatingSystem =
    "The rules are those of the operating system's C library, not of CLDR, and can differ in detail."
}
