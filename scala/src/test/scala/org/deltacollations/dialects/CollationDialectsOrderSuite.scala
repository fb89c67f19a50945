// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

import java.util.Arrays

import org.apache.spark.sql.catalyst.util.CollationFactory
import org.apache.spark.unsafe.types.UTF8String

import com.ibm.icu.text.Collator
import com.ibm.icu.util.ULocale
import org.deltacollations.testutil.Strings
import org.scalatest.funsuite.AnyFunSuite

/** Checks mappings and described differences by comparing strings with ICU and with Spark. */
class CollationDialectsOrderSuite extends AnyFunSuite {

  private def mapping(name: String, system: String): CollationMapping =
    CollationDialects.collationFor(name).find(_.system == system).get

  private def spark(collation: String, left: String, right: String): Int = Integer.signum(
    CollationFactory
      .fetchCollation(collation)
      .comparator
      .compare(UTF8String.fromString(left), UTF8String.fromString(right))
  )

  private def icu(tag: String): Collator = Collator.getInstance(ULocale.forLanguageTag(tag))

  private val samples: Seq[(String, String)] = {
    val strings = new Strings(11)
    Seq.fill(5000)(strings.pair()).filter { case (left, right) => left.isValid && right.isValid }
      .map { case (left, right) => (left.toString, right.toString) }
  }

  test("a locale with settings that Spark supports has the order of its Spark collation") {
    for (
      tag <- Seq(
        "und-u-ks-level1",
        "und-u-ks-level2",
        "und-u-ks-level3",
        "und-u-ks-level1-kc-true",
        "de-u-ks-level2",
        "sv-u-ks-level1",
        "da-u-kf-upper",
        "fr-CA-u-kb-true",
        "zh-u-co-pinyin",
        "zh-Hant-u-co-stroke",
        "zh-u-co-stroke",
        "zh-TW-u-co-pinyin",
        "tr-u-co-standard",
        "en-u-kn-false",
        "mt-u-ks-level2-kf-upper"
      )
    ) {
      val found = mapping(tag, "PostgreSQL")
      assert(IcuSettings.parse(tag).get.differences === Nil, tag)
      val collator = icu(tag)
      for ((left, right) <- samples)
        assert(spark(found.collation.get, left, right) ===
          Integer.signum(collator.compare(left, right)))
    }
  }

  private def differs(tag: String, sentence: String, left: String, right: String): Unit =
    test(s"$tag orders $left and $right differently than its Spark collation") {
      val found = mapping(tag, "PostgreSQL")
      assert(found.differences.contains(sentence))
      val expected = Integer.signum(icu(tag).compare(left, right))
      assert(spark(found.collation.get, left, right) !== expected)
    }

  differs("und-u-kn-true", DifferenceMessages.NumericOrdering, "a2", "a10")
  differs("und-u-ka-shifted", DifferenceMessages.Punctuation, "a-b", "ab")
  differs("und-u-ka-shifted-ks-level2", DifferenceMessages.Punctuation, "A-b", "ab")
  differs("und-u-ka-shifted-kv-space", "Spaces are ignored", "a b", "ab")
  differs("und-u-ka-shifted-ks-level4", "only if strings are otherwise equal", "a-c", "ab")
  differs("de-u-co-phonebk", DifferenceMessages.Phonebook, "Mäb", "Mad")
  differs("es-u-co-trad", DifferenceMessages.TraditionalSpanish, "ch", "cz")
  differs("es-u-co-trad", DifferenceMessages.TraditionalSpanish, "ll", "lz")
  differs("und-u-kf-upper", DifferenceMessages.UpperFirst, "a", "A")
  differs("da-u-kf-lower", "in Spark's da it does", "a", "A")
  differs("und-u-kb-true", "Accents are compared from the end", "côte", "coté")
  differs("und-u-ks-identic", "ordered by code point", "a", "a\u2060")
  differs("ja-u-ks-level4", "Hiragana and katakana differ", "あ", "ア")
  differs("und-u-kr-grek-latn", "ordered differently (grek-latn)", "a", "α")
  differs("und-u-kc-true-ks-level2", "Character width is ignored", "a", "ａ")
  differs("und-u-kc-true", "Letter case is compared before width", "aB", "ａb")
  differs("zh-u-co-zhuyin", "the zhuyin order", "阿", "八")

  test("settings in the older syntax equal those in BCP 47") {
    for (
      (older, newer) <- Seq(
        "de@collation=phonebook" -> "de-u-co-phonebk",
        "und@colStrength=primary;colCaseLevel=yes" -> "und-u-kc-true-ks-level1",
        "en_US@colNumeric=yes;colAlternate=shifted" -> "en-US-u-ka-shifted-kn",
        "es@collation=traditional;colCaseFirst=upper" -> "es-u-co-trad-kf-upper"
      )
    ) assert(IcuSettings.parse(older) === IcuSettings.parse(newer))
  }

  test("every ICU locale maps to the Spark locale with the same rules in ICU") {
    def rulesLocale(locale: ULocale) = Collator.getFunctionalEquivalent("collation", locale)
    val byName = CollationFactory.getICULocaleNames.toSeq.map { name =>
      name ->
        rulesLocale(
          CollationFactory.fetchCollation(name).getCollator.getLocale(ULocale.VALID_LOCALE)
        )
    }.toMap
    val mismatches = for {
      locale <- ULocale.getAvailableLocales.toSeq if locale.getVariant.isEmpty
      tag = locale.toLanguageTag
      found <- CollationDialects.collationFor(s"$tag-x-icu").filter(_.system == "PostgreSQL")
      expected = rulesLocale(locale)
      if byName(found.collation.get) != expected
    } yield s"$tag → ${found.collation.get}, not $expected"
    assert(mismatches === Nil)
    assert(ULocale.getAvailableLocales.length > 500)
  }

  test("UTF8_BINARY orders by code point, also above U+FFFF") {
    for ((left, right) <- samples :+ ("\uffff" -> "😀") :+ ("\ue000" -> "𐀀")) {
      val order =
        Arrays.compare(left.codePoints.toArray, right.codePoints.toArray)
      assert(spark("UTF8_BINARY", left, right) === Integer.signum(order))
    }
    assert("\uffff".compareTo("😀") > 0, "unlike the order of UTF-16")
  }

  test("en-US-u-va-posix orders only ASCII like UTF8_BINARY") {
    val posix = icu("en-US-u-va-posix")
    val ascii = (' ' to '~').map(_.toString)
    for (left <- ascii; right <- ascii)
      assert(Integer.signum(posix.compare(left, right)) === spark("UTF8_BINARY", left, right))
    assert(posix.compare("ā", "é") < 0)
    assert(spark("UTF8_BINARY", "ā", "é") === 1)
  }

  test("RTRIM of SQLite is UTF8_BINARY_RTRIM") {
    for ((left, right) <- samples ++ samples.map { case (left, _) => (left, left + "  ") }) {
      val order =
        Arrays.compareUnsigned(trimmed(left).getBytes("UTF-8"), trimmed(right).getBytes("UTF-8"))
      assert(spark("UTF8_BINARY_RTRIM", left, right) === Integer.signum(order))
    }
  }

  private def trimmed(text: String): String = text.reverse.dropWhile(_ == ' ').reverse

  /** Compares bytes after padding, like BIN2 of SQL Server and utf8mb4_bin of MySQL. */
  private def padded(left: String, right: String): Int = {
    val (one, other) = (left.getBytes("UTF-8"), right.getBytes("UTF-8"))
    val length = math.max(one.length, other.length)
    val space = ' '.toByte
    Integer.signum(Arrays.compareUnsigned(one.padTo(length, space), other.padTo(length, space)))
  }

  test("padding agrees with _RTRIM on equal strings, but not on the order of a trailing tab") {
    for ((left, right) <- samples ++ samples.map { case (left, _) => (left, left + " ") })
      assert((spark("UTF8_BINARY_RTRIM", left, right) == 0) === (padded(left, right) == 0))
    assert(padded("a\t", "a") === -1)
    assert(spark("UTF8_BINARY_RTRIM", "a\t", "a") === 1)
    for (name <- Seq("utf8mb4_bin", "Latin1_General_BIN2"))
      assert(
        CollationDialects.collationFor(name).head.differences.contains(DifferenceMessages.Padding)
      )
  }

  test("the mappings of SQL Server describe exactly the differences in kana type and width") {
    for {
      language <- Seq("Latin1_General_100", "Japanese_XJIS_140", "French_100")
      letterCase <- Seq("CI", "CS")
      accents <- Seq("AI", "AS")
      kana <- Seq("", "_KS")
      width <- Seq("", "_WS")
    } {
      val name = s"${language}_${letterCase}_$accents$kana$width"
      val found = mapping(name, "SQL Server")
      val sameKana = spark(found.collation.get, "あ", "ア") == 0
      val sameWidth = spark(found.collation.get, "A", "Ａ") == 0
      val differences = found.differences
      assert(differences.contains("katakana are equal") === (kana.isEmpty && !sameKana), name)
      assert(differences.contains("katakana differ") === (kana.nonEmpty && sameKana), name)
      assert(
        differences.contains("half-width forms are equal") === (width.isEmpty && !sameWidth),
        name
      )
      assert(
        differences.contains("half-width forms differ") === (width.nonEmpty && sameWidth),
        name
      )
    }
  }

  test("Spark compares hyphens and apostrophes like other characters") {
    val words = Seq("cars", "car-s", "carps", "car's", "coop", "co-op", "con")
    val sorted = words.sortWith((left, right) => spark("UNICODE_CI_RTRIM", left, right) < 0)
    assert(sorted === Seq("car-s", "car's", "carps", "cars", "co-op", "con", "coop"))
  }

  test("Spark ignores variation selectors, and trailing spaces under _RTRIM") {
    assert(spark("ja_RTRIM", "葛", "葛\udb40\udd00") === 0)
    assert(spark("UNICODE_CI_RTRIM", "Abc  ", "aBC") === 0)
    assert(spark("UNICODE_CI", "Abc  ", "aBC") !== 0)
  }

  test("strings that are equal in general_ci and latin1 of MySQL differ in Spark") {
    assert(spark("UNICODE_CI_AI_RTRIM", "ß", "s") !== 0)
    assert(spark("UNICODE_CI_AI_RTRIM", "ß", "ss") === 0)
    assert(spark("sv_CI_AI_RTRIM", "ß", "ss") === 0)
    assert(spark("da_CI_AI_RTRIM", "ß", "ss") === 0)
    assert(spark("UNICODE_CI_AI_RTRIM", "😀", "🎉") !== 0)
    assert(spark("UNICODE_CI_RTRIM", "áa", "ab") === -1)
    assert(spark("UNICODE_CI_AI", "i", "j") !== 0)
  }

  test("accents are compared from the end only in Canadian French") {
    assert(spark("fr", "coté", "côte") === -1)
    assert(spark("fr_CAN", "coté", "côte") === 1)
  }

  test("canonically equivalent strings are equal in Spark, but not in PostgreSQL") {
    assert(spark("UNICODE", "é", "e\u0301") === 0)
    assert(mapping(
      "und-x-icu",
      "PostgreSQL"
    ).differences.contains(DifferenceMessages.TiesByBytes))
  }

  test("the examples for und:ci in the manual of BigQuery hold in Spark") {
    val collation = mapping("und:ci", "BigQuery").collation.get
    assert(spark(collation, "ẞ", "SS") === 1)
    assert(spark(collation, "ẞ1", "SS2") === -1)
    assert(spark(collation, "oran\u2060ge1", "\u2060orange2") === -1)
    assert(spark(collation, "\u2060orange2", "ORANGE2") === 0)
    for ((left, right) <- samples)
      assert(spark(collation, left, right) ===
        Integer.signum(icu("und-u-ks-level2").compare(left, right)))
  }

  test("UTF8_LCASE differs from upper of Snowflake for _ and from NOCASE of SQLite for é") {
    assert("_".compareTo("A") > 0)
    assert(spark("UTF8_LCASE", "_", "A") === -1)
    assert(spark("UTF8_LCASE", "é", "É") === 0)
  }
}
