// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import java.nio.file.{Files, Path}
import java.util.Locale

import scala.util.Try

import org.apache.spark.sql.catalyst.util.CollationFactory
import org.apache.spark.sql.types.StringType

import com.ibm.icu.text.Collator
import com.ibm.icu.util.ULocale

/**
 * Writes a JSON file from which the command line resolves collations without a JVM. `sbt stage` runs
 * this class and puts the file into the Python package.
 *
 * The tables contain only results of [[SparkCollations]], [[LocaleResolver]] and [[CoarserCollations]],
 * so that the command line cannot disagree with the jar. Keys that are parts of identifiers are in
 * uppercase, because letter case does not matter there.
 */
object CollationTables {

  def main(arguments: Array[String]): Unit = {
    val file = Path.of(arguments.head)
    Files.createDirectories(file.getParent)
    Files.writeString(file, json): Unit
  }

  private def json: String = Seq(
    "names" -> toJson(names),
    "modifiers" -> toJson(modifiers),
    "languages" -> toJson(languages),
    "countries" -> toJson(countries),
    "locales" -> toJson(locales),
    "statistics_collations" -> toJson(statisticsCollations)
  ).map { case (name, table) => s"${quoted(name)}: $table" }.mkString("{\n", ",\n", "\n}\n")

  private def toJson(table: Map[String, String]): String =
    table.toSeq.sorted.map { case (key, value) => s"${quoted(key)}: ${quoted(value)}" }
      .mkString("{", ", ", "}")

  /** Needs no escaping: names consist of ASCII letters, digits and punctuation such as `_`. */
  private def quoted(name: String): String = s""""$name""""

  private def upper(name: String): String = name.toUpperCase(Locale.ROOT)

  /** All sequences of modifiers that the name of a collation may end with, in any order. */
  private lazy val modifierSequences: Seq[String] = (0 to 3).flatMap(Seq(
    "CI",
    "CS",
    "AI",
    "AS",
    "RTRIM"
  ).combinations(_)).flatMap(_.permutations)
    .map(_.map("_" + _).mkString)

  /** The identifiers of Spark's own collations, and of ICU's collations without modifiers. */
  private lazy val names: Map[String, String] = {
    val own = Seq("UTF8_BINARY", "UTF8_LCASE").flatMap(name => modifierSequences.map(name + _))
    (own ++ CollationFactory.getICULocaleNames)
      .flatMap(name => SparkCollations.canonicalName(name).map(upper(name) -> identifier(_))).toMap
  }

  /** Spark's spelling of the modifiers of ICU's collations: `_CI_AI` for `_AI_CI`, none for `_CS`. */
  private lazy val modifiers: Map[String, String] = (for {
    sequence <- modifierSequences
    name <- SparkCollations.canonicalName(LocaleResolver.Root + sequence)
  } yield sequence -> name.stripPrefix(LocaleResolver.Root)).toMap

  private def identifier(name: String): String = SparkCollations.identifier(name).toString

  /** ICU's code for each ISO code of a language, of two or three letters. */
  private lazy val languages: Map[String, String] = (for {
    code <- ULocale.getISOLanguages.toSeq if LocaleResolver.resolveExisting(code).isDefined
    alias <- Seq(code, new ULocale(code).getISO3Language).filter(_.nonEmpty)
  } yield upper(alias) -> new ULocale(alias).getLanguage).toMap

  /**
   * ICU's code for each ISO code of a country, of two or three letters. Codes that are also modifiers
   * are missing: `fr_CI` means French without letter case, not the French of Ivory Coast.
   */
  private lazy val countries: Map[String, String] = (for {
    code <- ULocale.getISOCountries.toSeq if !modifiers.contains(s"_$code")
    country = new ULocale("", code)
    alias <- code +: Try(country.getISO3Country).filter(_.nonEmpty).toOption.toSeq
  } yield alias -> country.getCountry).toMap

  /**
   * The Spark locale for each locale of ICU. The entry of `DE` is also valid for all countries without
   * an entry such as `DE_AT`, and `DE_*` for all scripts without an entry. Languages without an entry
   * have the root collation.
   */
  private lazy val locales: Map[String, String] = (for {
    language <- languages.values.toSeq.distinct
    if !LocaleResolver.resolveExisting(language).contains(LocaleResolver.Root)
    regions = countries.values.toSeq.distinct.filter(mayDiffer(language, _))
    script <- "" +: UnknownScript +: scripts(language, regions)
    parent = Seq(language, script).filter(_.nonEmpty).mkString("_")
    ofParent <- LocaleResolver.resolveExisting(parent).toSeq
    ofRegions = for {
      region <- regions if script != UnknownScript
      ofRegion <- LocaleResolver.resolveExisting(s"${parent}_$region") if ofRegion != ofParent
    } yield s"${parent}_$region" -> ofRegion
    (locale, found) <- (parent -> ofParent) +: ofRegions
  } yield upper(locale.replace(UnknownScript, "*")) -> found).toMap

  /** A code for private use, which no language is written in. */
  private val UnknownScript = "Qaaa"

  /** Limits the search: only these countries may have other rules than the language. */
  private def mayDiffer(language: String, country: String): Boolean =
    icuLocales.exists(locale => locale.getLanguage == language && locale.getCountry == country) ||
      script(language, country) != script(language, "")

  private lazy val icuLocales =
    (ULocale.getAvailableLocales ++ Collator.getAvailableULocales).toSeq.distinct

  private def scripts(language: String, countries: Seq[String]): Seq[String] =
    (("" +: countries).map(script(language, _)) ++
      icuLocales.filter(_.getLanguage == language).map(_.getScript)).filter(_.nonEmpty).distinct

  private def script(language: String, country: String): String =
    ULocale.addLikelySubtags(new ULocale(language, country)).getScript

  /** The collation of the bounds, or an empty string, for each collation that is not a total order. */
  private lazy val statisticsCollations: Map[String, String] = (for {
    name <- names.values.map(_.split('.').last).toSeq
    modifier <- modifiers.values.toSeq.distinct
    collation <- SparkCollations.canonicalName(name + modifier).toSeq
    ofBounds = CoarserCollations.forStatistics(StringType(collation)).map(CollatedString.nameOf)
    if !ofBounds.contains(collation)
  } yield identifier(collation) -> ofBounds.fold("")(identifier)).toMap
}
