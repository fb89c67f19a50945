// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import org.scalatest.funsuite.AnyFunSuite

class StatsBackfillSuite extends AnyFunSuite {

  private val id = "icu.UNICODE_CI.78.3"
  private val other = "icu.UNICODE_CI.75.1"
  private val columns = Seq(id -> Seq("name"), id -> Seq("home", "a.b"))

  private def stats(collated: String, more: String = "") =
    s"""{"numRecords":3$more,"statsWithCollation":{$collated}}"""

  private val bounds = """{"minValues":{"name":"a","home":{"a.b":"c"}},"maxValues":{}}"""

  for (
    (what, text) <- Seq(
      "null" -> null,
      "an empty string" -> "",
      "not JSON" -> "{",
      "not an object" -> "[1]",
      "without a row count" -> s"""{"statsWithCollation":{"$id":$bounds}}""",
      "with a row count that is not a number" ->
        s"""{"numRecords":"3","statsWithCollation":{"$id":$bounds}}""",
      "without bounds" -> """{"numRecords":3}""",
      "of another version" -> stats(s""""$other":$bounds"""),
      "of one column only" -> stats(s""""$id":{"minValues":{"name":"a"},"maxValues":{}}"""),
      "of the column without its struct" ->
        stats(s""""$id":{"minValues":{"name":"a","a.b":"c"}}"""),
      "with null as a bound" -> stats(s""""$id":{"minValues":{"name":null,"home":{"a.b":"c"}}}"""),
      "of columns with some nulls" -> stats("", ""","nullCount":{"name":2,"home":{"a.b":3}}"""),
      "with malformed fields" -> stats(s""""$id":7,"x":[]""", ""","nullCount":[3]""")
    )
  )
    test(s"isMissingBounds holds for statistics: $what") {
      assert(StatsBackfill.isMissingBounds(text, columns))
    }

  for (
    (what, text) <- Seq(
      "one bound of each column" -> stats(s""""$id":$bounds"""),
      "the other bound" -> stats(
        s""""$id":{"maxValues":{"name":"a","home":{"a.b":"c"}}},"$other":{}"""
      ),
      "columns of nulls" -> stats("", ""","nullCount":{"name":3,"home":{"a.b":3}}"""),
      "a column of nulls and one with a bound" ->
        stats(s""""$id":{"minValues":{"name":"a"}}""", ""","nullCount":{"home":{"a.b":3}}"""),
      "no rows" -> StatsBackfill.EmptyFileStats
    )
  )
    test(s"isMissingBounds does not hold for statistics: $what") {
      assert(!StatsBackfill.isMissingBounds(text, columns))
    }

  test("isMissingBounds does not hold without columns") {
    assert(!StatsBackfill.isMissingBounds(null, Nil))
  }

  test("hasNumRecords requires a row count") {
    assert(StatsBackfill.hasNumRecords("""{"numRecords":0}"""))
    assert(Seq(
      null,
      "",
      "{}",
      """{"numRecords":null}""",
      "3"
    ).filter(StatsBackfill.hasNumRecords) ===
      Nil)
  }

  test("backfilled adds missing bounds and null counts and keeps existing ones") {
    assert(
      StatsBackfill.backfilled(
        s"""{"numRecords":5,"nullCount":{"a":1,"s":{"x":1}},"statsWithCollation":{"$other":{}}}""",
        """{"numRecords":5,"nullCount":{"a":2,"b":2,"s":{"x":2,"y":5}},"maxValues":{"a":"z"},""" +
          s""""tightBounds":true,"statsWithCollation":{"$id":$bounds,"$other":$bounds}}"""
      ) ===
        """{"numRecords":5,"nullCount":{"a":1,"s":{"x":1,"y":5},"b":2},""" +
        s""""statsWithCollation":{"$other":$bounds,"$id":$bounds},"maxValues":{"a":"z"}}"""
    )
  }

  test("backfilled replaces invalid bounds and counts") {
    val fresh = s"""{"numRecords":3,"nullCount":{"name":0},"statsWithCollation":{"$id":$bounds}}"""
    for (
      invalid <- Seq(
        "7",
        """{"minValues":{"name":7,"home":"x"}}""",
        """{"minValues":"x"}""",
        "{\"minValues\":{\"name\":\"\\ud800\"}}"
      )
    ) {
      val result =
        StatsBackfill.backfilled(stats(s""""$id":$invalid""", ""","nullCount":7"""), fresh)
      assert(!StatsBackfill.isMissingBounds(result, columns), result)
      assert(result.contains(""""nullCount":{"name":0}"""))
    }
  }

  test("hasNumRecords rejects numbers that are not a valid count") {
    for (number <- Seq("-1", "18446744073709551616", "1e1000000000", "3.5", "true", "[3]"))
      assert(!StatsBackfill.hasNumRecords(s"""{"numRecords":$number}"""), number)
  }

  test("backfilled adds null counts of all or no rows when rows were deleted") {
    assert(
      StatsBackfill.backfilled(
        """{"numRecords":5,"tightBounds":false}""",
        """{"numRecords":3,"tightBounds":true,"nullCount":{"all":3,"none":0,"some":2}}"""
      ) === """{"numRecords":5,"tightBounds":false,"nullCount":{"all":5,"none":0}}"""
    )
  }

  test(
    "backfilled takes all fresh statistics and keeps entries of other writers when no row count is known"
  ) {
    assert(
      StatsBackfill.backfilled(
        s"""{"statsWithCollation":{"$other":$bounds}}""",
        stats(s""""$id":{}""")
      ) ===
        stats(s""""$id":{},"$other":$bounds""")
    )
    assert(StatsBackfill.backfilled(null, stats("")) === stats(""))
    assert(StatsBackfill.backfilled("not JSON", stats("")) === stats(""))
  }

  test("backfilled keeps existing statistics of a file whose rows are all deleted") {
    assert(StatsBackfill.backfilled(stats(""), StatsBackfill.EmptyFileStats) === stats(""))
    assert(StatsBackfill.backfilled(null, StatsBackfill.EmptyFileStats) === """{"numRecords":0}""")
  }
}
