// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import com.fasterxml.jackson.databind.ObjectMapper
import org.scalatest.funsuite.AnyFunSuite

class StatsJsonSuite extends AnyFunSuite {

  private val before =
    """{"numRecords":3,"minValues":{"n":"Mike","s":{"a":"f","b":1}},"nullCount":{"n":0},
      |"statsWithCollation":{"icu.UNICODE.75.1":{"minValues":{"n":"É"},"maxValues":{"n":"x"}},
      |"acme.X.1":{"minValues":{"s":{"a":"f"}}}}}""".stripMargin

  test("withMissingBounds restores bounds at every depth") {
    val rewritten = """{"numRecords":3,"minValues":{"s":{"b":1}},"tightBounds":false}"""
    assert(same(
      StatsJson.withMissingBounds(rewritten, before),
      """{"numRecords":3,"minValues":{"s":{"b":1,"a":"f"},"n":"Mike"},"tightBounds":false,
        |"statsWithCollation":{"icu.UNICODE.75.1":{"minValues":{"n":"É"},"maxValues":{"n":"x"}},
        |"acme.X.1":{"minValues":{"s":{"a":"f"}}}}}""".stripMargin
    ))
  }

  test("withMissingBounds keeps existing bounds and does not restore counts") {
    val rewritten = """{"minValues":{"n":"A","s":{"a":"a"}},"statsWithCollation":{"acme.X.1":{}}}"""
    val restored = StatsJson.withMissingBounds(rewritten, before)
    assert(restored.contains(""""minValues":{"n":"A","s":{"a":"a","b":1}}"""))
    assert(!restored.contains("nullCount") && !restored.contains("numRecords"))
    assert(restored.contains(""""acme.X.1":{"minValues":{"s":{"a":"f"}}}"""))
  }

  test("withKeysOfOtherWriters restores only entries that are not own") {
    val rewritten = """{"numRecords":3,"statsWithCollation":{"icu.UNICODE.78.3":{}}}"""
    assert(same(
      StatsJson.withKeysOfOtherWriters(rewritten, before, Set("icu.UNICODE.78.3", "acme.X.1")),
      """{"numRecords":3,"statsWithCollation":{"icu.UNICODE.78.3":{},
        |"icu.UNICODE.75.1":{"minValues":{"n":"É"},"maxValues":{"n":"x"}}}}""".stripMargin
    ))
  }

  test("statistics are unchanged byte for byte when nothing is missing") {
    val unusual = """{ "numRecords" : 3 , "minValues":{"d":1.10} }"""
    assert(StatsJson.withMissingBounds(unusual, """{"numRecords":3}""") === unusual)
    assert(StatsJson.withKeysOfOtherWriters(unusual, """{"statsWithCollation":{}}""", Set.empty) ===
      unusual)
  }

  for (
    malformed <- Seq(
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
    test(s"malformed statistics $malformed are unchanged and add nothing") {
      assert(StatsJson.withMissingBounds(malformed, """{"numRecords":3}""") === malformed)
      assert(StatsJson.withMissingBounds("""{"numRecords":3}""", malformed) ===
        """{"numRecords":3}""")
      assert(StatsJson.withKeysOfOtherWriters(before, malformed, Set.empty) === before)
    }

  test("withMissingBounds keeps all digits of numbers") {
    val exact = """{"minValues":{"d":12345678901234567890.123456789,"e":1.10}}"""
    val restored = StatsJson.withMissingBounds(exact, before)
    assert(restored.contains(""""d":12345678901234567890.123456789,"e":1.10"""))
  }

  private val json = new ObjectMapper

  private def same(left: String, right: String): Boolean =
    json.readTree(left) == json.readTree(right)
}
