// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import org.apache.spark.sql.catalyst.util.{CollationFactory, CollationSupport}
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.testutil.{AgainstSpark, SearchCases, Strings}
import org.scalatest.funsuite.AnyFunSuite

class CoarserCollationsSuite extends AnyFunSuite {

  private def coarser(name: String): Seq[String] =
    CoarserCollations.of(StringType(name)).map(CollatedString.nameOf)

  private def ofStatistics(name: String): Option[String] =
    CoarserCollations.forStatistics(StringType(name)).map(CollatedString.nameOf)

  test("coarser collations ignore case, or case and accents, in the same locale") {
    assert(coarser("UNICODE") === Seq("UNICODE_CI", "UNICODE_CI_AI"))
    assert(coarser("de_RTRIM") === Seq("de_CI_RTRIM", "de_CI_AI_RTRIM"))
    assert(coarser("zh_Hant_TWN_CI") === Seq("zh_Hant_TWN_CI_AI"))
    assert(coarser("UNICODE_AI") === Seq("UNICODE_CI_AI"))
    assert(coarser("th") === Seq("th_CI_AI"))
    for (name <- Seq("sv_CI_AI", "UTF8_BINARY", "UTF8_LCASE", "UTF8_LCASE_RTRIM"))
      assert(coarser(name) === Nil)
  }

  test("statistics are collected in the collation itself if it is a total order") {
    assert(ofStatistics("UNICODE") === Some("UNICODE"))
    assert(ofStatistics("UTF8_LCASE") === Some("UTF8_LCASE"))
    assert(ofStatistics("UNICODE_AI") === Some("UNICODE_CI_AI"))
    assert(ofStatistics("fr_CAN_CI_RTRIM") === Some("fr_CAN_CI_AI_RTRIM"))
  }

  test("statistics are collected for every collation of Spark") {
    assert(AgainstSpark.collations.filter(ofStatistics(_).isEmpty) === Nil)
    assert(AgainstSpark.collations.size > 1000)
  }

  for (kind <- Seq("letters of one script", "variants of a few characters"))
    test(s"a comparison of $kind never contradicts a coarser collation") {
      val strings = new Strings(Strings.Seed)
      val pairs =
        if (kind.startsWith("letters")) Seq.fill(300)(strings.pair())
        else Seq.fill(20)(strings.variants(6)).flatMap(some => some.zip(some.reverse))
      assert(AgainstSpark.collations.flatMap(AgainstSpark.contradictions(_, pairs)) === Nil)
    }

  test("a contradiction is detected") {
    val pairs = Seq("Ab" -> "aC", "\u00e4" -> "b", "\u00e4" -> "A").map { case (left, right) =>
      UTF8String.fromString(left) -> UTF8String.fromString(right)
    }
    assert(AgainstSpark.contradictions("UNICODE_CI", "UNICODE_AI", pairs).nonEmpty)
    assert(AgainstSpark.contradictions("sv_CI_AI", "UNICODE", pairs).nonEmpty)
    assert(!TotalOrderCheck.isCoarser(
      SparkOrder("UNICODE_CI").compare,
      SparkOrder("UNICODE_AI").compare
    ))
  }

  test("the key of a string starts with the keys of its prefixes") {
    val cases = new SearchCases(Strings.Seed)
    val searches = Seq.fill(250)(cases.next())
    val checked = for {
      name <- AgainstSpark.collations
      searchCase <- searches
      result <- AgainstSpark.prefixKeys(name, searchCase)
    } yield result
    assert(checked.collect { case (false, difference) => difference } === Nil)
    assert(checked.size > 10000)
  }

  test("ICU ignores characters of a prefix where it ignores punctuation") {
    val (text, prefix) = (UTF8String.fromString("ab"), UTF8String.fromString("a\ufffdb"))
    val id = CollationFactory.collationNameToId("th_CI_AI")
    assert(CollationSupport.StartsWith.exec(text, prefix, id))
    assert(SparkOrder("th_CI_AI").prefixKey(prefix) === None)
  }
}
