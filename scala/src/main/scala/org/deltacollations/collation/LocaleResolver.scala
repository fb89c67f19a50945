// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import java.util.Locale

import com.ibm.icu.text.Collator
import com.ibm.icu.util.ULocale

/** The locales Spark has collations for, and the way to them from any locale. */
object LocaleResolver {

  /** The name of the root locale. */
  val Root: String = "UNICODE"

  /** As Spark lists them: those for which its ICU has rules, countries in three letters. */
  val all: Set[String] = Collator.getAvailableULocales.toSet[ULocale]
    .filter(_.getVariant.isEmpty)
    .map(locale => Seq(locale.getLanguage, locale.getScript, locale.getISO3Country))
    .map(_.filter(_.nonEmpty).mkString("_"))

  /** Locales in which letters of the own script come before Latin ones. */
  val ownScriptFirst: Set[String] = words(
    """am ar ar_SAU as be bg bn bo bs_Cyrl chr el fa fa_AFG gu he he_ISR hi hy ka kk kk_Arab km kn ko
      |kok ky lo mk ml mn mr my ne or pa pa_Guru pa_Guru_IND ps ru si sr sr_Cyrl sr_Cyrl_BIH
      |sr_Cyrl_MNE sr_Cyrl_SRB ta te th ug uk ur yi zh zh_Hans zh_Hans_CHN zh_Hans_SGP zh_Hant
      |zh_Hant_HKG zh_Hant_MAC zh_Hant_TWN""".stripMargin
  )

  /** Locales in which upper case comes before lower case; everywhere else it comes after. */
  val upperFirst: Set[String] = words("da mt")

  private def words(text: String): Set[String] = text.split("\\s+").toSet

  private val countries = Map(
    "AF" -> "AFG",
    "AT" -> "AUT",
    "BA" -> "BIH",
    "CA" -> "CAN",
    "CN" -> "CHN",
    "HK" -> "HKG",
    "ID" -> "IDN",
    "IL" -> "ISR",
    "IN" -> "IND",
    "ME" -> "MNE",
    "MO" -> "MAC",
    "NO" -> "NOR",
    "RS" -> "SRB",
    "SA" -> "SAU",
    "SG" -> "SGP",
    "TW" -> "TWN",
    "US" -> "USA"
  )

  /** Old names of languages, and dialects that ICU serves by the rules of another language. */
  private val aliases = Map(
    "ars" -> "ar",
    "in" -> "id",
    "iw" -> "he",
    "mo" -> "ro",
    "sh" -> "sr",
    "yue" -> "zh"
  )

  /** Scripts in which a language is not ordered by its rules, since these are for another script. */
  private val otherScripts =
    Set(
      "az_Arab",
      "az_Cyrl",
      "ha_Arab",
      "hi_Latn",
      "kok_Latn",
      "mn_Mong",
      "pa_Arab",
      "uz_Arab",
      "uz_Cyrl"
    )

  private val Tag = "([a-z]{2,3})(?:[-_]([a-z]{4}))?(?:[-_]([a-z]{2}|[0-9]{3}))?".r

  private lazy val languages = Locale.getISOLanguages.toSet

  /**
   * Spark's locale for a tag such as `de`, `de-AT`, `de_AT` or `zh-Hant-TW`: itself, or what ICU falls
   * back to. That is the root for languages without rules of their own; `anyLanguage` says whether
   * this includes words that merely look like a language.
   */
  def nearest(tag: String, anyLanguage: Boolean = false): Option[String] =
    tag.toLowerCase(Locale.ROOT) match {
      case "und" | "root" => Some(Root)
      case Tag(code, script, country) =>
        val known = fallbacks(spelling(code, script, country)).find(all)
        if (known.isEmpty && !anyLanguage && !languages(code)) None
        else Some(known.getOrElse(Root))
      case _ => None
    }

  /** Spark's locale for a tag that ICU lists as it is, without falling back. */
  def listed(tag: String): Option[String] = tag.toLowerCase(Locale.ROOT) match {
    case Tag(code, script, country)
        if country == null || countries.contains(country.toUpperCase(Locale.ROOT)) =>
      Some(spelling(code, script, country)).filter(all)
    case _ => None
  }

  private def spelling(language: String, script: String, country: String): String = Seq(
    Some(aliases.getOrElse(language, language)),
    Option(script).map(_.capitalize).orElse(impliedScript(language, country)),
    Option(country).map(_.toUpperCase(Locale.ROOT)).flatMap(countries.get)
  ).flatten.mkString("_")

  /** `zh_Hant_TWN`, `zh_Hant`, `zh`; nothing from a script on that the rules are not for. */
  private def fallbacks(locale: String): Seq[String] =
    Iterator
      .iterate(locale)(name => name.take(math.max(name.lastIndexOf('_'), 0)))
      .takeWhile(name => name.nonEmpty && !otherScripts(name))
      .toSeq

  private def impliedScript(language: String, country: String): Option[String] =
    (language, Option(country)) match {
      case ("zh", Some("tw" | "hk" | "mo")) => Some("Hant")
      case ("zh" | "yue", Some("cn" | "sg")) => Some("Hans")
      case ("yue", _) => Some("Hant")
      case ("pa", Some("in")) => Some("Guru")
      case ("sr", Some("ba" | "rs" | "me")) => Some("Cyrl")
      case ("sh", _) => Some("Latn")
      case _ => None
    }
}
