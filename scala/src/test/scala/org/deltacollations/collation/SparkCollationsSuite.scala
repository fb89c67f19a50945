// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import org.apache.spark.sql.catalyst.util.CollationFactory
import org.apache.spark.sql.types.StringType

import com.ibm.icu.text.Collator
import com.ibm.icu.util.{ULocale, VersionInfo}
import org.deltacollations.protocol.CollationId
import org.scalatest.funsuite.AnyFunSuite

class SparkCollationsSuite extends AnyFunSuite {

  private val known = Seq(
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

  for ((text, name) <- known)
    test(s"$text is $name") {
      assert(CollationId.parse(text).flatMap(SparkCollations.nameOf) === Some(name))
    }

  for (
    text <- Seq("acme.X", "icu.KLINGON", "icu.xx_YY", "icu.de_QQ", "spark.de_DE", "icu.de_DE_POSIX")
  )
    test(s"$text is a collation nobody here knows") {
      assert(CollationId.parse(text).flatMap(SparkCollations.nameOf) === None)
    }

  for (
    (what, name) <- Seq(
      "a line break" -> "de\nDE",
      "keywords that change the order" -> "de@collation=phonebook",
      "a path" -> "../../de",
      "no letters" -> "_",
      "signs that ICU leaves out" -> "de@@@@",
      "no end to its suffixes" -> ("de" + "_CI" * 30000),
      "a million letters" -> "x" * 1000000
    )
  )
    test(s"a name with $what is one nobody here knows, which is found out at once") {
      val started = System.nanoTime
      assert(SparkCollations.nameOf(CollationId("icu", name)) === None)
      assert(System.nanoTime - started < 5000000000L)
    }

  test("a locale that Spark does not list compares exactly as ICU compares it") {
    val words = Seq("a", "ä", "z", "Ä", "ae", "ö", "o", "Z", "å", "ch", "cz", "ñ", "n", "ll", "lz")
    for (locale <- Seq("de_DE", "sv_SE", "es_MX", "pt_BR", "cs_CZ", "fr_FR", "da_DK", "en_GB")) {
      val icu = Collator.getInstance(new ULocale(locale))
      icu.setDecomposition(Collator.CANONICAL_DECOMPOSITION)
      val name = SparkCollations.nameOf(CollationId("ICU", locale)).get
      val spark = CollationFactory.fetchCollation(name).comparator
      for (a <- words; b <- words) {
        val ours = spark.compare(utf8(a), utf8(b))
        assert(ours.sign === icu.compare(a, b).sign, s"$locale as $name: $a, $b")
      }
    }
  }

  test("statistics name the version of the running library") {
    for (name <- Seq("UNICODE_CI", "UTF8_LCASE", "de_CI_AI", "UTF8_BINARY_RTRIM")) {
      val id = SparkCollations.versionedId(StringType(name))
      val running = s"${VersionInfo.ICU_VERSION.getMajor}.${VersionInfo.ICU_VERSION.getMinor}"
      assert(id === SparkCollations.identifier(name).copy(version = Some(running)))
    }
  }

  private def utf8(text: String) = org.apache.spark.unsafe.types.UTF8String.fromString(text)
}
