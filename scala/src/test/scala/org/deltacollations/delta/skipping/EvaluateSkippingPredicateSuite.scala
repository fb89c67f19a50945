// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.types.{LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.{SparkCollations, SparkOrder}
import org.deltacollations.delta.scan.PredicateResult._
import org.deltacollations.delta.skipping.BoundsPredicate.AnyOf
import org.scalatest.funsuite.AnyFunSuite

class EvaluateSkippingPredicateSuite extends AnyFunSuite {

  private val running = SparkCollations.versionedId(StringType("UNICODE_CI"))
  private val order = SparkOrder("UNICODE_CI")
  private val bob =
    CollatedSkippingPredicate(
      Seq("name"),
      running,
      order,
      AnyOf(Seq(UTF8String.fromString("BOB")), order)
    )

  private def verdict(stats: String, nulls: Any = 0L, rows: Any = 3L): Int = {
    val bounds = ReadBounds(Literal(stats), Seq(Seq("col-1"), Seq("home", "city")))
    def count(value: Any): Expression = Literal.create(value, LongType)
    bob.judged(Seq("col-1"), bounds, count(nulls), count(rows)).eval().asInstanceOf[Int]
  }

  private def stats(id: String, min: String, max: String): String =
    s"""{"statsWithCollation":{"$id":{"minValues":{"col-1":$min},"maxValues":{"col-1":$max}}}}"""

  private def ours(min: String, max: String): String = stats(running.toString, min, max)

  test("bounds decide") {
    assert(verdict(ours(""""alpha"""", """"Zeta"""")) === MayMatch)
    assert(verdict(ours(""""c"""", """"Zeta"""")) === CannotMatch)
    assert(verdict(ours(""""A"""", """"b"""")) === CannotMatch)
  }

  test("provider and name may be spelt in any letter case, the version in no other way") {
    val version = running.version.get
    assert(verdict(stats(s"ICU.unicode_ci.$version", """"c"""", """"d"""")) === CannotMatch)
    for (other <- Seq("75.1", s"$version.0", s"$version ", version.reverse))
      assert(verdict(stats(s"icu.UNICODE_CI.$other", """"c"""", """"d"""")) === OtherVersion)
  }

  test("bounds of another collation, of another provider and of no version say nothing") {
    val version = running.version.get
    for (id <- Seq(s"icu.UNICODE.$version", s"spark.UNICODE_CI.$version", "icu.UNICODE_CI", ""))
      assert(verdict(stats(id, """"c"""", """"d"""")) === NoStatistics)
    assert(verdict("""{"minValues":{"col-1":"c"},"maxValues":{"col-1":"d"}}""") === NoStatistics)
  }

  test("what is damaged says nothing, and fails nothing") {
    for (bound <- Seq("7", "true", "null", """{"x":"c"}""", """["c"]""", "1e99")) {
      assert(verdict(ours(bound, """"d"""")) === NoStatistics)
      assert(verdict(ours(""""c"""", bound)) === NoStatistics)
    }
    for (
      text <- Seq(
        "",
        "no JSON",
        "[]",
        "7",
        """{"statsWithCollation":7}""",
        s"""{"statsWithCollation":{"$running":"c"}}""",
        s"""{"statsWithCollation":{"$running":{"minValues":{"col-1":"c"}}}}""",
        s"""{"statsWithCollation":{"$running":{"minValues":[],"maxValues":{}}}}""",
        ours(""""c"""", """"d"""").dropRight(2)
      )
    ) assert(verdict(text) === NoStatistics, text)
  }

  test("a bound with half a character, or with bytes that were no UTF-8, leaves no file out") {
    for (broken <- Seq("\\ud800", "d\\udfff", "\ufffdd", "d\ufffd")) {
      assert(verdict(ours(s""""$broken"""", """"d"""")) !== CannotMatch, broken)
      assert(verdict(ours(""""c"""", s""""$broken"""")) !== CannotMatch, broken)
    }
  }

  test("what says two things at once, or goes on after its end, leaves no file out") {
    val bounds = """{"minValues":{"col-1":"c"},"maxValues":{"col-1":"d"}}"""
    assert(verdict(ours(""""c"""", """"d"""") + "x") === NoStatistics)
    assert(verdict(s"""{"statsWithCollation":{"$running":{},"$running":$bounds}}""") ===
      NoStatistics)
  }

  test("bounds the wrong way round are none") {
    assert(verdict(ours(""""z"""", """"c"""")) === MayMatch)
  }

  test("where two spellings disagree, the file is read") {
    val version = running.version.get
    def key(id: String, min: String, max: String): String =
      s""""$id":{"minValues":{"col-1":"$min"},"maxValues":{"col-1":"$max"}}"""
    def both(first: String, second: String): String =
      s"""{"statsWithCollation":{${key(running.toString, first, first)},
        |${key(s"ICU.UNICODE_CI.$version", second, second)}}}""".stripMargin

    assert(verdict(both("c", "d")) === CannotMatch)
    assert(verdict(both("c", "bob")) === MayMatch)
    assert(verdict(both("bob", "c")) === MayMatch)
  }

  test("a column of nulls matches nothing, and what is not counted may not be one") {
    assert(verdict("{}", nulls = 3L, rows = 3L) === CannotMatch)
    assert(verdict("{}", nulls = 2L, rows = 3L) === NoStatistics)
    assert(verdict("{}", nulls = null, rows = null) === NoStatistics)
    assert(verdict("{}", nulls = null, rows = 3L) === NoStatistics)
    assert(verdict("{}", nulls = -1L, rows = -1L) === NoStatistics)
    assert(verdict(ours(""""bob"""", """"bob""""), nulls = 3L, rows = 3L) === MayMatch)
  }

  test("as long as nobody has said where the bounds are, every file may match") {
    assert(bob.eval() === true)
  }
}
