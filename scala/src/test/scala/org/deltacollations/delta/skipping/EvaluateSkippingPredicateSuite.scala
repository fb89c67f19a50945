// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateMutableProjection
import org.apache.spark.sql.catalyst.expressions.{Expression, GetStructField, Literal}
import org.apache.spark.sql.types.{LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.{SparkCollations, SparkOrder}
import org.deltacollations.delta.scan.BoundsUse
import org.deltacollations.delta.scan.PredicateResult._
import org.deltacollations.delta.skipping.BoundsPredicate.AnyOf
import org.deltacollations.delta.skipping.CollatedSkippingPredicate.Alternative
import org.deltacollations.protocol.{CollationId, ColumnBounds}
import org.scalatest.funsuite.AnyFunSuite

class EvaluateSkippingPredicateSuite extends AnyFunSuite {

  private val current = SparkCollations.versionedId(StringType("UNICODE_CI"))
  private val order = SparkOrder("UNICODE_CI")
  private val bob =
    Alternative(current, order, AnyOf(Seq(UTF8String.fromString("BOB")), order))

  private def result(
      stats: String,
      nulls: Any = 0L,
      rows: Any = 3L,
      alternatives: Seq[Alternative] = Seq(bob),
      used: BoundsUse.Accumulator = new BoundsUse.Accumulator
  ): Int = {
    val bounds = alternatives.map(each => ColumnBounds(Seq("col-1"), each.collation))
    val parsed = ReadBounds(Literal(stats), ColumnBounds(Seq("home", "city"), current) +: bounds)
    def count(value: Any): Expression = Literal.create(value, LongType)
    evaluate(EvaluateSkippingPredicate(
      bounds.indices.map(index => GetStructField(parsed, index + 1)),
      count(nulls),
      count(rows),
      alternatives.zipWithIndex,
      used
    ))
  }

  /** Evaluates an expression with and without generated code. */
  private def evaluate(expression: Expression): Int = {
    val generated =
      GenerateMutableProjection.generate(Seq(expression), Nil)(InternalRow.empty).getInt(0)
    assert(expression.eval() === generated)
    generated
  }

  private def stats(id: String, min: String, max: String): String =
    s"""{"statsWithCollation":{"$id":{"minValues":{"col-1":$min},"maxValues":{"col-1":$max}}}}"""

  private def ours(min: String, max: String): String = stats(current.toString, min, max)

  test("bounds that exclude the value skip the file") {
    assert(result(ours(""""alpha"""", """"Zeta"""")) === MayMatch)
    assert(result(ours(""""c"""", """"Zeta"""")) === CannotMatch)
    assert(result(ours(""""A"""", """"b"""")) === CannotMatch)
  }

  test("provider and name are case-insensitive, the version is compared exactly") {
    val version = current.version.get
    assert(result(stats(s"ICU.unicode_ci.$version", """"c"""", """"d"""")) === CannotMatch)
    for (other <- Seq("75.1", s"$version.0", s"$version ", version.reverse))
      assert(result(stats(s"icu.UNICODE_CI.$other", """"c"""", """"d"""")) === OtherVersion)
  }

  test("bounds of another collation, of another provider or without a version are not used") {
    val version = current.version.get
    for (id <- Seq(s"icu.UNICODE.$version", s"spark.UNICODE_CI.$version", "icu.UNICODE_CI", ""))
      assert(result(stats(id, """"c"""", """"d"""")) === NoStatistics)
    assert(result("""{"minValues":{"col-1":"c"},"maxValues":{"col-1":"d"}}""") === NoStatistics)
  }

  test("malformed statistics are ignored") {
    for (bound <- Seq("7", "true", "null", """{"x":"c"}""", """["c"]""", "1e99")) {
      assert(result(ours(bound, """"d"""")) === NoStatistics)
      assert(result(ours(""""c"""", bound)) === NoStatistics)
    }
    for (
      text <- Seq(
        "",
        "not JSON",
        "[]",
        "7",
        """{"statsWithCollation":7}""",
        s"""{"statsWithCollation":{"$current":"c"}}""",
        s"""{"statsWithCollation":{"$current":{"minValues":{"col-1":"c"}}}}""",
        s"""{"statsWithCollation":{"$current":{"minValues":[],"maxValues":{}}}}""",
        ours(""""c"""", """"d"""").dropRight(2)
      )
    ) assert(result(text) === NoStatistics, text)
  }

  test("a bound with a lone surrogate or U+FFFD never skips a file") {
    for (broken <- Seq("\\ud800", "d\\udfff", "\ufffdd", "d\ufffd")) {
      assert(result(ours(s""""$broken"""", """"d"""")) !== CannotMatch, broken)
      assert(result(ours(""""c"""", s""""$broken"""")) !== CannotMatch, broken)
    }
  }

  test("statistics with duplicate keys or trailing tokens are not used") {
    val bounds = """{"minValues":{"col-1":"c"},"maxValues":{"col-1":"d"}}"""
    assert(result(ours(""""c"""", """"d"""") + "x") === NoStatistics)
    assert(result(s"""{"statsWithCollation":{"$current":{},"$current":$bounds}}""") ===
      NoStatistics)
  }

  test("a minimum above the maximum is not used") {
    assert(result(ours(""""z"""", """"c"""")) === MayMatch)
  }

  test("a file is read if the bounds of one of two spellings match") {
    val version = current.version.get
    def key(id: String, min: String, max: String): String =
      s""""$id":{"minValues":{"col-1":"$min"},"maxValues":{"col-1":"$max"}}"""
    def both(first: String, second: String): String =
      s"""{"statsWithCollation":{${key(current.toString, first, first)},
        |${key(s"ICU.UNICODE_CI.$version", second, second)}}}""".stripMargin

    assert(result(both("c", "d")) === CannotMatch)
    assert(result(both("c", "bob")) === MayMatch)
    assert(result(both("bob", "c")) === MayMatch)
  }

  test("a column with only nulls is skipped, one without counts is read") {
    assert(result("{}", nulls = 3L, rows = 3L) === CannotMatch)
    assert(result("{}", nulls = 2L, rows = 3L) === NoStatistics)
    assert(result("{}", nulls = null, rows = null) === NoStatistics)
    assert(result("{}", nulls = null, rows = 3L) === NoStatistics)
    assert(result("{}", nulls = -1L, rows = -1L) === NoStatistics)
    assert(result(ours(""""bob"""", """"bob""""), nulls = 3L, rows = 3L) === MayMatch)
  }

  test("a file is skipped if the bounds in one collation exclude the value") {
    val coarser = current.copy(name = "UNICODE_CI_AI")
    val coarserOrder = SparkOrder(coarser.name)
    val both = Seq(bob, bob.copy(collation = coarser, order = coarserOrder))
    def key(id: CollationId, min: String, max: String): String =
      s""""$id":{"minValues":{"col-1":"$min"},"maxValues":{"col-1":"$max"}}"""
    def evaluated(keys: String*): (Int, Set[Int]) = {
      val used = new BoundsUse.Accumulator
      val stats = keys.mkString("""{"statsWithCollation":{""", ",", "}}")
      result(stats, alternatives = both, used = used) -> used.value
    }
    val old = Some("75.1")

    assert(evaluated(key(coarser, "c", "d")) === CannotMatch -> Set(1))
    assert(evaluated(key(current, "a", "z"), key(coarser, "c", "d")) === CannotMatch -> Set(0, 1))
    assert(evaluated(key(current, "c", "d"), key(coarser, "a", "z")) === CannotMatch -> Set(0, 1))
    assert(evaluated(key(current, "a", "z"), key(coarser, "a", "z")) === MayMatch -> Set(0, 1))
    assert(evaluated(key(current.copy(version = old), "c", "d")) === OtherVersion -> Set())
    assert(evaluated(
      key(current.copy(version = old), "c", "d"),
      key(coarser, "a", "z")
    ) === MayMatch -> Set(1))
    assert(evaluated() === NoStatistics -> Set())
  }

  test("a predicate that is not bound to bounds matches every file") {
    assert(CollatedSkippingPredicate(Seq("name"), "UNICODE_CI", Seq(bob)).eval() === true)
  }
}
