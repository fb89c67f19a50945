// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import com.fasterxml.jackson.databind.ObjectMapper
import org.scalatest.funsuite.AnyFunSuite

class StatsJsonSuite extends AnyFunSuite {

  private val before =
    """{"numRecords":3,"minValues":{"n":"Mike","s":{"a":"f","b":1}},"nullCount":{"n":0},
      |"statsWithCollation":{"icu.UNICODE.75.1":{"minValues":{"n":"É"},"maxValues":{"n":"x"}},
      |"acme.X.1":{"minValues":{"s":{"a":"f"}}}}}""".stripMargin

  test("bounds that a rewrite left out come back, at every depth") {
    val rewritten = """{"numRecords":3,"minValues":{"s":{"b":1}},"tightBounds":false}"""
    assert(same(
      StatsJson.withMissingBounds(rewritten, before),
      """{"numRecords":3,"minValues":{"s":{"b":1,"a":"f"},"n":"Mike"},"tightBounds":false,
        |"statsWithCollation":{"icu.UNICODE.75.1":{"minValues":{"n":"É"},"maxValues":{"n":"x"}},
        |"acme.X.1":{"minValues":{"s":{"a":"f"}}}}}""".stripMargin
    ))
  }

  test("a bound that the rewrite has stays, and counts are not brought back") {
    val rewritten = """{"minValues":{"n":"A","s":{"a":"a"}},"statsWithCollation":{"acme.X.1":{}}}"""
    val kept = StatsJson.withMissingBounds(rewritten, before)
    assert(kept.contains(""""minValues":{"n":"A","s":{"a":"a","b":1}}"""))
    assert(!kept.contains("nullCount") && !kept.contains("numRecords"))
    assert(kept.contains(""""acme.X.1":{"minValues":{"s":{"a":"f"}}}"""))
  }

  test("keys of others come back whole, and our own are as the rewrite has them") {
    val rewritten = """{"numRecords":3,"statsWithCollation":{"icu.UNICODE.78.3":{}}}"""
    assert(same(
      StatsJson.withForeignKeys(rewritten, before, Set("icu.UNICODE.78.3", "acme.X.1")),
      """{"numRecords":3,"statsWithCollation":{"icu.UNICODE.78.3":{},
        |"icu.UNICODE.75.1":{"minValues":{"n":"É"},"maxValues":{"n":"x"}}}}""".stripMargin
    ))
  }

  test("nothing to bring back leaves the text letter by letter as it was") {
    val odd = """{ "numRecords" : 3 , "minValues":{"d":1.10} }"""
    assert(StatsJson.withMissingBounds(odd, """{"numRecords":3}""") === odd)
    assert(StatsJson.withForeignKeys(odd, """{"statsWithCollation":{}}""", Set.empty) === odd)
  }

  for (
    nothing <- Seq(
      null,
      "",
      "{",
      "[]",
      "\"x\"",
      "7",
      """{"statsWithCollation":[]}""",
      """{"statsWithCollation":{"x.Y.1":{},"x.Y.1":{"minValues":{"n":"a"}}}}""",
      """{"statsWithCollation":{"x.Y.1":{}}} {}"""
    )
  )
    test(s"statistics that say nothing, like $nothing, are left alone and bring nothing") {
      assert(StatsJson.withMissingBounds(nothing, """{"numRecords":3}""") === nothing)
      assert(StatsJson.withMissingBounds("""{"numRecords":3}""", nothing) ===
        """{"numRecords":3}""")
      assert(StatsJson.withForeignKeys(before, nothing, Set.empty) === before)
    }

  test("numbers keep every digit through a rewrite") {
    val exact = """{"minValues":{"d":12345678901234567890.123456789,"e":1.10}}"""
    val kept = StatsJson.withMissingBounds(exact, before)
    assert(kept.contains(""""d":12345678901234567890.123456789,"e":1.10"""))
  }

  private val json = new ObjectMapper

  private def same(left: String, right: String): Boolean =
    json.readTree(left) == json.readTree(right)
}
