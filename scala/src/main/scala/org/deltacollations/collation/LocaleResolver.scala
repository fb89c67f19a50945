// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import java.util.{Locale, MissingResourceException}

import scala.util.Try

import com.ibm.icu.lang.UScript
import com.ibm.icu.text.{Collator, RuleBasedCollator}
import com.ibm.icu.util.ULocale

/**
 * Resolves locales to the locales that Spark has collations for.
 *
 * ICU decides: a locale resolves to a Spark locale that has the same collation data, which ICU calls
 * its functional equivalent.
 */
object LocaleResolver {

  /** Spark's name for the root locale. */
  val Root: String = "UNICODE"

  /** The locales that ICU has collators for, by Spark's names. */
  private val locales: Map[String, ULocale] = Collator.getAvailableULocales.toSeq
    .filter(_.getVariant.isEmpty)
    .flatMap(locale => sparkName(locale).map(_ -> locale))
    .toMap

  /** Spark's names of all locales except the root. */
  val sparkLocales: Set[String] = locales.keySet

  /** Whether letters of the locale's own script sort before Latin letters. */
  def hasNativeScriptFirst(locale: String): Boolean =
    collator(locale).flatMap(_.getReorderCodes.headOption)
      .exists(script => script >= 0 && script != UScript.LATIN)

  /** Whether uppercase sorts before lowercase; in all other locales it sorts after. */
  def hasUpperCaseFirst(locale: String): Boolean = collator(locale).exists(_.isUpperCaseFirst)

  private def collator(locale: String): Option[RuleBasedCollator] =
    locales.get(locale).map(Collator.getInstance).collect { case rules: RuleBasedCollator => rules }

  /**
   * Resolves a tag such as `de`, `de-AT`, `de_AT` or `zh-Hant-TW` to a Spark locale. Languages without
   * rules of their own resolve to the root.
   *
   * @param anyLanguage
   *   whether to resolve three-letter words that may or may not be a language
   */
  def resolve(tag: String, anyLanguage: Boolean = false): Option[String] =
    tag.toLowerCase(Locale.ROOT) match {
      case "und" | "root" => Some(Root)
      case Tag(code) if anyLanguage || languages(code) =>
        val locale = canonical(tag)
        Some(listed(locale).orElse(nearest(locale)).getOrElse(Root))
      case _ => None
    }

  /** Resolves a tag to the Spark locale with the same language and country, if there is one. */
  def resolveExactly(tag: String): Option[String] = tag.toLowerCase(Locale.ROOT) match {
    case Tag(code) if languages(code) => listed(canonical(tag))
    case _ => None
  }

  /**
   * Resolves the name of a locale whose language and country exist. ICU itself accepts any string, and
   * uses the root collation for unknown locales.
   */
  def resolveExisting(name: String): Option[String] =
    // ICU throws for some strings that are not locales, such as `_`.
    Try(Some(new ULocale(name)).filter(exists).flatMap(nearest)).toOption.flatten

  private def exists(locale: ULocale): Boolean =
    ULocale.getISOLanguages.contains(locale.getLanguage) &&
      (locale.getCountry.isEmpty || ULocale.getISOCountries.contains(locale.getCountry)) &&
      locale.getVariant.isEmpty && Option(locale.getKeywords).isEmpty

  private val Tag = "([a-z]{2,3})(?:[-_][a-z]{4})?(?:[-_](?:[a-z]{2}|[0-9]{3}))?".r

  /** Languages with a two-letter code, or with a collator, or that [[canonical]] replaces. */
  private lazy val languages =
    Locale.getISOLanguages.toSet ++ locales.values.map(_.getLanguage) ++
      Set("ars", "mo", "sh", "yue")

  /**
   * Replaces deprecated codes, such as `iw` by `he`. Keeps those that ICU's collation data does not
   * replace, such as `tl`, which gets the root collation and not that of `fil`.
   */
  private def canonical(tag: String): ULocale = {
    val locale = new ULocale(tag)
    val language = new ULocale(locale.getLanguage)
    val renamed = ULocale.createCanonical(language)
    val isRenamed = renamed != language && collationData(renamed) == collationData(language)
    val current = if (isRenamed) ULocale.createCanonical(locale) else locale
    current.getLanguage match {
      // ICU takes the collation data of these languages from another one.
      case "ars" => new ULocale("ar", current.getCountry)
      case "yue" =>
        new ULocale("zh", ULocale.addLikelySubtags(current).getScript, current.getCountry)
      case _ => current
    }
  }

  /** Finds a Spark locale with the same language and country. Spark lists `zh_TW` as `zh_Hant_TWN`. */
  private def listed(locale: ULocale): Option[String] =
    sparkName(locale).filter(locales.get(_).contains(locale)).orElse(locales.collectFirst {
      case (name, candidate)
          if locale.getScript.isEmpty && candidate.getLanguage == locale.getLanguage &&
            candidate.getCountry == locale.getCountry &&
            collationData(candidate) == collationData(locale) =>
        name
    })

  /** Finds the first Spark locale with the same collation data among the parents of a locale. */
  private def nearest(locale: ULocale): Option[String] = {
    val data = collationData(locale)
    (parents(locale) ++ parents(ULocale.addLikelySubtags(locale)) :+ ULocale.ROOT)
      .flatMap(candidate => sparkName(candidate).map(_ -> candidate))
      .filter { case (name, _) => name == Root || sparkLocales(name) }
      .collectFirst { case (name, candidate) if collationData(candidate) == data => name }
  }

  private def parents(locale: ULocale): Seq[ULocale] =
    Iterator.iterate(locale)(_.getFallback).takeWhile(_.getLanguage.nonEmpty).toSeq

  /** Returns the locale that has the collation data: locales that share it order all strings alike. */
  private def collationData(locale: ULocale): ULocale =
    Collator.getFunctionalEquivalent("collation", locale)

  /** Spark uses three-letter country codes. Some countries do not have one. */
  private def sparkName(locale: ULocale): Option[String] =
    if (locale == ULocale.ROOT) Some(Root)
    else
      try
        Some(
          Seq(locale.getLanguage, locale.getScript, locale.getISO3Country)
            .filter(_.nonEmpty)
            .mkString("_")
        )
      catch { case _: MissingResourceException => None }
}
