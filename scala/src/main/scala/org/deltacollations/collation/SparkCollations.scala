// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import java.util.{Locale, MissingResourceException}

import scala.jdk.OptionConverters._
import scala.util.Try

import org.apache.spark.sql.catalyst.util.CollationFactory
import org.apache.spark.sql.types.StringType

import com.ibm.icu.text.Collator
import com.ibm.icu.util.ULocale
import org.deltacollations.protocol.CollationId

/** Spark's collation for an identifier of the log, whoever wrote it. */
object SparkCollations {

  /** Spark's own spelling of a collation's name, or `None` if Spark has no such collation. */
  def canonicalName(name: String): Option[String] =
    Try(CollationFactory.collationNameToId(name)).toOption
      .map(id => CollationFactory.fetchCollation(id).collationName)

  /** How Spark writes the collation `name` into a schema. */
  def identifier(name: String): CollationId = {
    val collation = CollationFactory.fetchCollation(name)
    CollationId(collation.provider, collation.collationName)
  }

  /** The identifier beside statistics. The version is that of the running library, never pinned. */
  def versionedId(string: StringType): CollationId = {
    val running = CollationFactory.fetchCollation(string.collationId).identifier
    CollationId(running.getProvider, running.getName, running.getVersion.toScala)
  }

  /**
   * The collation that orders as `id` says, in Spark's spelling.
   *
   * Letter case does not count, and neither does a version, since a schema pins none. A locale that
   * ICU serves but Spark does not list, like `ICU.de_DE`, is the collation ICU falls back to. `None`
   * means that nobody here knows the order, and nothing may be guessed.
   */
  def nameOf(id: CollationId): Option[String] =
    id.provider.toLowerCase(Locale.ROOT) match {
      // Spark looks for similar names, which takes long for a long one.
      case _ if id.name.length > LongestName => None
      case CollationFactory.PROVIDER_SPARK => canonicalName(id.name)
      case CollationFactory.PROVIDER_ICU => canonicalName(id.name).orElse(localeIn(id.name))
      case _ => None
    }

  /** No locale has a longer name, whatever follows it. */
  private val LongestName = 100

  /**
   * A locale, and what may follow it in the name of a collation. ICU would take other letters as well,
   * and leave them out.
   */
  private val Suffixed = "(?i)([a-z0-9_-]+?)((?:_(?:CI|CS|AI|AS|RTRIM))*)".r

  /** ICU fails on some texts that are no locales, such as `_`. */
  private def localeIn(name: String): Option[String] = Try(nameOfLocale(name)).toOption.flatten

  private def nameOfLocale(name: String): Option[String] = name match {
    case Suffixed(base, suffix) if isReal(new ULocale(base)) =>
      val asked = new ULocale(base)
      (parents(asked) ++ parents(ULocale.addLikelySubtags(asked)) :+ ULocale.ROOT)
        .filter(candidate => served(candidate) == served(asked))
        .flatMap(spelling)
        .flatMap(found => canonicalName(found + suffix))
        .headOption
    case _ => None
  }

  /** The collation data behind a locale: locales that share it order everything alike. */
  private def served(locale: ULocale): ULocale =
    Collator.getFunctionalEquivalent("collation", locale)

  /** ICU serves any text as its root collation; only a locale that exists was meant. */
  private def isReal(locale: ULocale): Boolean =
    ULocale.getISOLanguages.contains(locale.getLanguage) &&
      (locale.getCountry.isEmpty || ULocale.getISOCountries.contains(locale.getCountry)) &&
      locale.getVariant.isEmpty && Option(locale.getKeywords).isEmpty

  private def parents(locale: ULocale): Seq[ULocale] =
    Iterator.iterate(locale)(_.getFallback).takeWhile(_.getLanguage.nonEmpty).toSeq

  /** Spark names countries by three letters, and the root collation `UNICODE`. */
  private def spelling(locale: ULocale): Option[String] =
    if (locale == ULocale.ROOT) Some("UNICODE")
    else
      try
        Some(
          Seq(locale.getLanguage, locale.getScript, locale.getISO3Country)
            .filter(_.nonEmpty)
            .mkString("_")
        )
      catch { case _: MissingResourceException => None }
}
