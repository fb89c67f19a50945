// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

import java.util.Locale

import org.deltacollations.collation.LocaleResolver

/**
 * A locale of ICU with settings, in the spelling of BCP 47 (`de-AT-u-co-phonebk-ks-level2`) or the
 * older one (`de_AT@collation=phonebook;colStrength=secondary`).
 *
 * @param values
 *   by the keys of BCP 47, such as `ks` for the strength
 */
final private[dialects] case class IcuSettings(locale: String, values: Map[String, String]) {

  /** What Spark can be told: one of four strengths. */
  def collation: SparkCollationName = {
    val level = values.getOrElse("ks", "level3")
    val hasCaseLevel = values.get("kc").contains("true")
    SparkCollationName(
      ordered,
      ignoresCase = Set("level1", "level2")(level) && !hasCaseLevel,
      ignoresAccents = level == "level1"
    )
  }

  /** Chinese is the one language whose orders Spark has under two names. */
  private def ordered: String = values.get("co") match {
    case Some("stroke") if locale.startsWith("zh") && !locale.startsWith("zh_Hant") => "zh_Hant"
    case Some("pinyin") if locale.startsWith("zh_Hant") => "zh"
    case _ => locale
  }

  private def isUpperFirst = LocaleResolver.upperFirst(locale)

  /** What Spark cannot be told. */
  def differences: Seq[String] = values.toSeq.sorted.flatMap {
    case ("co", order) => otherOrder(order)
    case ("ka", "shifted") => Some(shifted)
    case ("kb", "true") if locale != "fr_CAN" =>
      Some("Accents are compared from the end; in Spark from the start.")
    case ("kc", "true") => caseLevel
    case ("kf", _) if collation.ignoresCase => None
    case ("kf", "upper") if !isUpperFirst => Some(DifferenceMessages.UpperFirst)
    case ("kf", "lower" | "false") if isUpperFirst =>
      Some(s"Upper case does not come first; in Spark's $locale it does.")
    case ("kn", "true") => Some(DifferenceMessages.NoNumbers)
    case ("kr", groups) => Some(s"Scripts are in another order ($groups) than in Spark.")
    case ("ks", "level4") if locale == "ja" =>
      Some("Hiragana and katakana differ; in Spark's ja they are equal.")
    case ("ks", "identic") =>
      Some("Code points decide where nothing else differs; Spark stops at the third level.")
    case _ => None
  }

  private def otherOrder(order: String): Option[String] = (locale, order) match {
    case (_, "standard") => None
    case ("de", "phonebk") => Some(DifferenceMessages.Phonebook)
    case ("es", "trad") => Some(DifferenceMessages.TraditionalSpanish)
    case (chinese, "pinyin" | "stroke") if chinese.startsWith("zh") => None
    case _ => Some(s"It is the order $order; Spark has only the standard one of $locale.")
  }

  private def shifted: String = (values.get("ks"), values.get("kv")) match {
    case (Some("level4" | "identic"), _) =>
      "Spaces and punctuation count only where nothing else differs; in Spark they count first."
    case (_, Some("space")) => "Spaces are ignored, so a b equals ab; in Spark they count."
    case _ => DifferenceMessages.Punctuation
  }

  private def caseLevel: Option[String] = values.getOrElse("ks", "level3") match {
    case "level1" => None
    case "level2" if locale == "ja" => None
    case "level2" => Some("Width does not count; in Spark it does.")
    case _ => Some("Letter case decides before width and the like; in Spark together with them.")
  }
}

private[dialects] object IcuSettings {

  private val Bcp = "([a-z0-9-]+?)-u-([a-z0-9-]+)".r

  private val Older = "([a-z0-9_-]+)@([a-z0-9_=;-]+)".r

  /** The older keys and values that BCP 47 calls otherwise. */
  private val keys = Map(
    "colalternate" -> "ka",
    "colbackwards" -> "kb",
    "colcasefirst" -> "kf",
    "colcaselevel" -> "kc",
    "collation" -> "co",
    "colnumeric" -> "kn",
    "colreorder" -> "kr",
    "colstrength" -> "ks"
  )

  private val renamed = Map(
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

  /** Reads `text`, if it has settings at all, and only such as are of collation. */
  def parse(text: String): Option[IcuSettings] = text.toLowerCase(Locale.ROOT) match {
    case Bcp(tag, settings) => of(tag, bcp(settings.split('-').toSeq))
    case Older(tag, settings) =>
      val pairs = settings.split(';').toSeq.map(_.split("=", 2))
      if (!pairs.forall(pair => pair.length == 2 && keys.contains(pair.head))) None
      else of(tag, pairs.map(pair => keys(pair(0)) -> renamed.getOrElse(pair(1), pair(1))).toMap)
    case _ => None
  }

  private def of(tag: String, values: Map[String, String]): Option[IcuSettings] = {
    val isOfCollation = values.keySet.subsetOf(keys.values.toSet ++ Set("kk", "kv"))
    if (values.isEmpty || !isOfCollation) None
    else LocaleResolver.nearest(tag, anyLanguage = true).map(IcuSettings(_, values))
  }

  /** Keys have two letters, values at least three; a key without a value is true. */
  private def bcp(subtags: Seq[String]): Map[String, String] =
    subtags.foldLeft(Seq.empty[(String, String)]) {
      case (all, key) if key.length == 2 => all :+ (key -> "")
      case (Nil, _) => Seq("" -> "")
      case (all, part) =>
        val (key, value) = all.last
        all.init :+ (key -> (if (value.isEmpty) part else s"$value-$part"))
    }.map { case (key, value) => key -> (if (value.isEmpty) "true" else value) }.toMap
}
