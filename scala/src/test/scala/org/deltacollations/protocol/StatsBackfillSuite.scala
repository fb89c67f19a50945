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
      "absent" -> null,
      "empty text" -> "",
      "no JSON" -> "{",
      "no object" -> "[1]",
      "without a count of rows" -> s"""{"statsWithCollation":{"$id":$bounds}}""",
      "with a count that is none" -> s"""{"numRecords":"3","statsWithCollation":{"$id":$bounds}}""",
      "without bounds" -> """{"numRecords":3}""",
      "of another version" -> stats(s""""$other":$bounds"""),
      "of one column only" -> stats(s""""$id":{"minValues":{"name":"a"},"maxValues":{}}"""),
      "of the column without its struct" ->
        stats(s""""$id":{"minValues":{"name":"a","a.b":"c"}}"""),
      "of nulls" -> stats(s""""$id":{"minValues":{"name":null,"home":{"a.b":"c"}}}"""),
      "of some nulls" -> stats("", ""","nullCount":{"name":2,"home":{"a.b":3}}"""),
      "damaged" -> stats(s""""$id":7,"x":[]""", ""","nullCount":[3]""")
    )
  )
    test(s"a file with such statistics lacks bounds: $what") {
      assert(StatsBackfill.lacksBounds(text, columns))
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
      "no rows" -> StatsBackfill.OfNoRows
    )
  )
    test(s"a file with such statistics lacks nothing: $what") {
      assert(!StatsBackfill.lacksBounds(text, columns))
    }

  test("where no column is wanted, nothing is lacking") {
    assert(!StatsBackfill.lacksBounds(null, Nil))
  }

  test("only statistics with a number of rows have counts") {
    assert(StatsBackfill.hasCounts("""{"numRecords":0}"""))
    assert(Seq(null, "", "{}", """{"numRecords":null}""", "3").filter(StatsBackfill.hasCounts) ===
      Nil)
  }

  test("bounds and null counts are added where there are none, and none is changed") {
    assert(
      StatsBackfill.filled(
        s"""{"numRecords":5,"nullCount":{"a":1,"s":{"x":1}},"statsWithCollation":{"$other":{}}}""",
        """{"numRecords":5,"nullCount":{"a":2,"b":2,"s":{"x":2,"y":5}},"maxValues":{"a":"z"},""" +
          s""""tightBounds":true,"statsWithCollation":{"$id":$bounds,"$other":$bounds}}"""
      ) ===
        """{"numRecords":5,"nullCount":{"a":1,"s":{"x":1,"y":5},"b":2},""" +
        s""""statsWithCollation":{"$other":$bounds,"$id":$bounds},"maxValues":{"a":"z"}}"""
    )
  }

  test("what cannot be a bound gives way to one, and so does what cannot be a count") {
    val fresh = s"""{"numRecords":3,"nullCount":{"name":0},"statsWithCollation":{"$id":$bounds}}"""
    for (
      damaged <- Seq(
        "7",
        """{"minValues":{"name":7,"home":"x"}}""",
        """{"minValues":"x"}""",
        "{\"minValues\":{\"name\":\"\\ud800\"}}"
      )
    ) {
      val filled = StatsBackfill.filled(stats(s""""$id":$damaged""", ""","nullCount":7"""), fresh)
      assert(!StatsBackfill.lacksBounds(filled, columns), filled)
      assert(filled.contains(""""nullCount":{"name":0}"""))
    }
  }

  test("a number that nothing can be counted by is no count") {
    for (number <- Seq("-1", "18446744073709551616", "1e1000000000", "3.5", "true", "[3]"))
      assert(!StatsBackfill.hasCounts(s"""{"numRecords":$number}"""), number)
  }

  test("of rows that are left, only all nulls and no nulls say something of the whole file") {
    assert(
      StatsBackfill.filled(
        """{"numRecords":5,"tightBounds":false}""",
        """{"numRecords":3,"tightBounds":true,"nullCount":{"all":3,"none":0,"some":2}}"""
      ) === """{"numRecords":5,"tightBounds":false,"nullCount":{"all":5,"none":0}}"""
    )
  }

  test("a file without counts gets all there is, and keeps what others know of it") {
    assert(
      StatsBackfill.filled(
        s"""{"statsWithCollation":{"$other":$bounds}}""",
        stats(s""""$id":{}""")
      ) ===
        stats(s""""$id":{},"$other":$bounds""")
    )
    assert(StatsBackfill.filled(null, stats("")) === stats(""))
    assert(StatsBackfill.filled("damaged", stats("")) === stats(""))
  }

  test("a file whose rows are all deleted keeps its statistics, and an empty one gets a count") {
    assert(StatsBackfill.filled(stats(""), StatsBackfill.OfNoRows) === stats(""))
    assert(StatsBackfill.filled(null, StatsBackfill.OfNoRows) === """{"numRecords":0}""")
  }
}
