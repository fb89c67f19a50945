// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import org.apache.spark.sql.catalyst.util.CollationFactory
import org.apache.spark.unsafe.types.UTF8String

import org.scalatest.funsuite.AnyFunSuite

class LocaleResolverSuite extends AnyFunSuite {

  test("sparkLocales are the locales of Spark") {
    assert(LocaleResolver.sparkLocales + "UNICODE" === CollationFactory.getICULocaleNames.toSet)
  }

  for (
    (tag, locale) <- Seq(
      "de" -> "de",
      "DE-at" -> "de_AUT",
      "de_CH" -> "de",
      "es-419" -> "es",
      "zh-TW" -> "zh_Hant_TWN",
      "zh-Hant-TW" -> "zh_Hant_TWN",
      "zh_CN" -> "zh_Hans_CHN",
      "zh-US" -> "zh_Hant",
      "sr-RS" -> "sr_Cyrl_SRB",
      "sr_ME" -> "sr_Cyrl_MNE",
      "sr-Latn-ME" -> "sr_Latn",
      "pa-IN" -> "pa_Guru_IND",
      "pa-Arab" -> "UNICODE",
      "kk-CN" -> (if (LocaleResolver.sparkLocales("kk_Arab")) "kk_Arab" else "UNICODE"),
      "iw_IL" -> "he_ISR",
      "in" -> "id",
      "mo" -> "ro",
      "sh" -> "sr_Latn",
      "sh_BA" -> "sr_Latn_BIH",
      "ars" -> "ar",
      "yue" -> "zh_Hant",
      "yue-CN" -> "zh_Hans_CHN",
      "tl" -> "UNICODE",
      "rw" -> "UNICODE",
      "und" -> "UNICODE",
      "root" -> "UNICODE"
    )
  )
    test(s"resolve returns $locale for $tag") {
      assert(LocaleResolver.resolve(tag) === Some(locale))
    }

  for (tag <- Seq("xx", "eng", "bin", "english", "de-DE-1996", "de@collation=phonebook", "_", ""))
    test(s"resolve returns None for '$tag'") {
      assert(LocaleResolver.resolve(tag) === None)
    }

  test("resolve returns the root for words that may be a language, if any language is allowed") {
    for (tag <- Seq("xx", "ber", "ber-MA"))
      assert(LocaleResolver.resolve(tag, anyLanguage = true) === Some("UNICODE"))
  }

  test("resolveExactly returns only locales with the same country") {
    for ((tag, locale) <- Seq("de_at" -> "de_AUT", "zh_tw" -> "zh_Hant_TWN", "yue" -> "zh_Hant"))
      assert(LocaleResolver.resolveExactly(tag) === Some(locale))
    for (tag <- Seq("de_de", "sr_Latn_ME", "rw", "und", "deu"))
      assert(LocaleResolver.resolveExactly(tag) === None)
  }

  test("hasNativeScriptFirst holds for the locales with a reordered script") {
    val expected =
      """am ar ar_SAU as be bg bn bo bs_Cyrl chr el fa fa_AFG gu he he_ISR hi hy ka kk kk_Arab km kn ko
        |kok ky lo mk ml mn mr my ne or pa pa_Guru pa_Guru_IND ps ru si sr sr_Cyrl sr_Cyrl_BIH
        |sr_Cyrl_MNE sr_Cyrl_SRB ta te th ug uk ur yi zh zh_Hans zh_Hans_CHN zh_Hans_SGP zh_Hant
        |zh_Hant_HKG zh_Hant_MAC zh_Hant_TWN""".stripMargin.split("\\s+").toSet
    val found = LocaleResolver.sparkLocales.filter(LocaleResolver.hasNativeScriptFirst)
    assert(found.toSeq.sorted === expected.intersect(LocaleResolver.sparkLocales).toSeq.sorted)
  }

  test("hasUpperCaseFirst holds for the locales in which Spark orders A before a") {
    val (lower, upper) = (UTF8String.fromString("a"), UTF8String.fromString("A"))
    val found = LocaleResolver.sparkLocales.filter(LocaleResolver.hasUpperCaseFirst)
    assert(found === Set("da", "mt"))
    assert(found === LocaleResolver.sparkLocales.filter { locale =>
      CollationFactory.fetchCollation(locale).comparator.compare(lower, upper) > 0
    })
  }
}
