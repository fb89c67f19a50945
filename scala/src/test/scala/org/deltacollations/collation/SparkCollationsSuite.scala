// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import org.apache.spark.sql.catalyst.util.CollationFactory
import org.apache.spark.sql.types.StringType

import com.ibm.icu.text.Collator
import com.ibm.icu.util.{ULocale, VersionInfo}
import org.deltacollations.protocol.CollationId
import org.scalatest.funsuite.AnyFunSuite

class SparkCollationsSuite extends AnyFunSuite {

  private val supported = Seq(
    "icu.UNICODE_CI" -> "UNICODE_CI",
    "spark.UTF8_LCASE" -> "UTF8_LCASE",
    "SPARK.utf8_lcase" -> "UTF8_LCASE",
    "ICU.SR_CYRL_SRB" -> "sr_Cyrl_SRB",
    "icu.unicode_rtrim_ai_ci" -> "UNICODE_CI_AI_RTRIM",
    "icu.UNICODE.78.3" -> "UNICODE",
    "ICU.en_US" -> "en_USA",
    "ICU.de_DE" -> "de",
    "ICU.de_AT" -> "de_AUT",
    "ICU.de-DE" -> "de",
    "ICU.sv_SE_CI_AI" -> "sv_CI_AI",
    "ICU.es_MX" -> "es",
    "ICU.pt_BR" -> "pt",
    "ICU.rw_RW_CI" -> "UNICODE_CI",
    "ICU.zh_TW" -> "zh_Hant_TWN"
  )

  for ((text, name) <- supported)
    test(s"nameOf resolves $text to $name") {
      assert(CollationId.parse(text).flatMap(SparkCollations.nameOf) === Some(name))
    }

  for (
    text <- Seq("acme.X", "icu.KLINGON", "icu.xx_YY", "icu.de_QQ", "spark.de_DE", "icu.de_DE_POSIX")
  )
    test(s"nameOf returns None for the unsupported collation $text") {
      assert(CollationId.parse(text).flatMap(SparkCollations.nameOf) === None)
    }

  for (
    (what, name) <- Seq(
      "a line break" -> "de\nDE",
      "keywords that change the order" -> "de@collation=phonebook",
      "a path" -> "../../de",
      "only an underscore" -> "_",
      "characters that ICU ignores" -> "de@@@@",
      "30000 suffixes" -> ("de" + "_CI" * 30000),
      "a million characters" -> "x" * 1000000
    )
  )
    test(s"nameOf returns None within seconds for a name with $what") {
      val started = System.nanoTime
      assert(SparkCollations.nameOf(CollationId("icu", name)) === None)
      assert(System.nanoTime - started < 5000000000L)
    }

  test("nameOf resolves locales that Spark does not list to collations that order as ICU does") {
    val words = Seq("a", "ä", "z", "Ä", "ae", "ö", "o", "Z", "å", "ch", "cz", "ñ", "n", "ll", "lz")
    for (locale <- Seq("de_DE", "sv_SE", "es_MX", "pt_BR", "cs_CZ", "fr_FR", "da_DK", "en_GB")) {
      val icu = Collator.getInstance(new ULocale(locale))
      icu.setDecomposition(Collator.CANONICAL_DECOMPOSITION)
      val name = SparkCollations.nameOf(CollationId("ICU", locale)).get
      val spark = CollationFactory.fetchCollation(name).comparator
      for (a <- words; b <- words) {
        val order = spark.compare(utf8(a), utf8(b))
        assert(order.sign === icu.compare(a, b).sign, s"$locale as $name: $a, $b")
      }
    }
  }

  test("versionedId has the current ICU version") {
    for (name <- Seq("UNICODE_CI", "UTF8_LCASE", "de_CI_AI", "UTF8_BINARY_RTRIM")) {
      val id = SparkCollations.versionedId(StringType(name))
      val current = s"${VersionInfo.ICU_VERSION.getMajor}.${VersionInfo.ICU_VERSION.getMinor}"
      assert(id === SparkCollations.identifier(name).copy(version = Some(current)))
    }
  }

  private def utf8(text: String) = org.apache.spark.unsafe.types.UTF8String.fromString(text)
}
