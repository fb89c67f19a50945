// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

import java.util.Locale

import org.deltacollations.collation.LocaleResolver

/**
 * An ICU locale with collation settings, parsed from a BCP 47 tag (`de-AT-u-co-phonebk-ks-level2`) or
 * from ICU's older syntax (`de_AT@collation=phonebook;colStrength=secondary`).
 *
 * @param values
 *   the settings by BCP 47 key, such as `ks` for the strength
 */
final private[dialects] case class IcuSettings(locale: String, values: Map[String, String]) {

  /** Returns the nearest Spark collation. Spark can only ignore case, accents, or both. */
  def collation: SparkCollationName = {
    val level = values.getOrElse("ks", "level3")
    val hasCaseLevel = values.get("kc").contains("true")
    SparkCollationName(
      localeWithOrder,
      ignoresCase = Set("level1", "level2")(level) && !hasCaseLevel,
      ignoresAccents = level == "level1"
    )
  }

  /** Chinese is the only language for which Spark has several orders, under different locales. */
  private def localeWithOrder: String = values.get("co") match {
    case Some("stroke") if locale.startsWith("zh") && !locale.startsWith("zh_Hant") => "zh_Hant"
    case Some("pinyin") if locale.startsWith("zh_Hant") => "zh"
    case _ => locale
  }

  private def isUpperFirst = LocaleResolver.hasUpperCaseFirst(locale)

  /** Describes the settings that Spark does not support. */
  def differences: Seq[String] = values.toSeq.sorted.flatMap {
    case ("co", order) => otherOrder(order)
    case ("ka", "shifted") => Some(shifted)
    case ("kb", "true") if locale != "fr_CAN" =>
      Some("Accents are compared from the end of the string; in Spark, from the start.")
    case ("kc", "true") => caseLevel
    case ("kf", _) if collation.ignoresCase => None
    case ("kf", "upper") if !isUpperFirst => Some(DifferenceMessages.UpperFirst)
    case ("kf", "lower" | "false") if isUpperFirst =>
      Some(s"Uppercase does not come first; in Spark's $locale it does.")
    case ("kn", "true") => Some(DifferenceMessages.NumericOrdering)
    case ("kr", groups) => Some(s"Scripts are ordered differently ($groups) than in Spark.")
    case ("ks", "level4") if locale == "ja" =>
      Some("Hiragana and katakana differ; in Spark's ja they are equal.")
    case ("ks", "identic") =>
      Some(
        "Strings that are otherwise equal are ordered by code point; Spark compares only three levels."
      )
    case _ => None
  }

  private def otherOrder(order: String): Option[String] = (locale, order) match {
    case (_, "standard") => None
    case ("de", "phonebk") => Some(DifferenceMessages.Phonebook)
    case ("es", "trad") => Some(DifferenceMessages.TraditionalSpanish)
    case (chinese, "pinyin" | "stroke") if chinese.startsWith("zh") => None
    case _ => Some(s"This is the $order order; Spark has only the standard order of $locale.")
  }

  private def shifted: String = (values.get("ks"), values.get("kv")) match {
    case (Some("level4" | "identic"), _) =>
      "Spaces and punctuation are compared only if strings are otherwise equal; in Spark they " +
        "are compared like other characters."
    case (_, Some("space")) =>
      "Spaces are ignored, so a b equals ab; in Spark they are significant."
    case _ => DifferenceMessages.Punctuation
  }

  private def caseLevel: Option[String] = values.getOrElse("ks", "level3") match {
    case "level1" => None
    case "level2" if locale == "ja" => None
    case "level2" => Some("Character width is ignored; in Spark it is significant.")
    case _ =>
      Some(
        "Letter case is compared before width and other tertiary differences; in Spark, together " +
          "with them."
      )
  }
}

private[dialects] object IcuSettings {

  private val Bcp47 = "([a-z0-9-]+?)-u-([a-z0-9-]+)".r

  private val OldSyntax = "([a-z0-9_-]+)@([a-z0-9_=;-]+)".r

  /** Maps keys and values of the older syntax to those of BCP 47. */
  private val bcp47Keys = Map(
    "colalternate" -> "ka",
    "colbackwards" -> "kb",
    "colcasefirst" -> "kf",
    "colcaselevel" -> "kc",
    "collation" -> "co",
    "colnumeric" -> "kn",
    "colreorder" -> "kr",
    "colstrength" -> "ks"
  )

  private val bcp47Values = Map(
    "phonebook" -> "phonebk",
    "traditional" -> "trad",
    "dictionary" -> "dict",
    "gb2312han" -> "gb2312",
    "primary" -> "level1",
    "secondary" -> "level2",
    "tertiary" -> "level3",
    "quaternary" -> "level4",
    "identical" -> "identic",
    "non-ignorable" -> "noignore",
    "yes" -> "true",
    "no" -> "false"
  )

  /** Parses `text`. Returns `None` if it has no settings, or settings that are not of collation. */
  def parse(text: String): Option[IcuSettings] = text.toLowerCase(Locale.ROOT) match {
    case Bcp47(tag, settings) => of(tag, parseBcp47(settings.split('-').toSeq))
    case OldSyntax(tag, settings) =>
      val pairs = settings.split(';').toSeq.map(_.split("=", 2))
      if (!pairs.forall(pair => pair.length == 2 && bcp47Keys.contains(pair.head))) None
      else
        of(
          tag,
          pairs.map(pair => bcp47Keys(pair(0)) -> bcp47Values.getOrElse(pair(1), pair(1))).toMap
        )
    case _ => None
  }

  private def of(tag: String, values: Map[String, String]): Option[IcuSettings] = {
    val areCollationKeys = values.keySet.subsetOf(bcp47Keys.values.toSet ++ Set("kk", "kv"))
    if (values.isEmpty || !areCollationKeys) None
    else LocaleResolver.resolve(tag, anyLanguage = true).map(IcuSettings(_, values))
  }

  /** Keys have two letters and values at least three. A key without a value means `true`. */
  private def parseBcp47(subtags: Seq[String]): Map[String, String] =
    subtags.foldLeft(Seq.empty[(String, String)]) {
      case (all, key) if key.length == 2 => all :+ (key -> "")
      case (Nil, _) => Seq("" -> "")
      case (all, part) =>
        val (key, value) = all.last
        all.init :+ (key -> (if (value.isEmpty) part else s"$value-$part"))
    }.map { case (key, value) => key -> (if (value.isEmpty) "true" else value) }.toMap
}
