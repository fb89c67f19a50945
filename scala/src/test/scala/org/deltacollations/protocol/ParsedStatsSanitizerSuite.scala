// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import org.scalatest.funsuite.AnyFunSuite

class ParsedStatsSanitizerSuite extends AnyFunSuite {

  private val own = "icu.UNICODE_CI.78.3"

  test("spellings of one identifier share a field, ours if it is among them") {
    assert(
      ParsedStatsSanitizer.fields(
        Set("ICU.UNICODE_CI.78.3", "ICU.de.77.1", "icu.DE.77.1"),
        Set(own)
      ) ===
        Map(
          own -> own,
          "ICU.UNICODE_CI.78.3" -> own,
          "ICU.de.77.1" -> "ICU.de.77.1",
          "icu.DE.77.1" -> "ICU.de.77.1"
        )
    )
  }

  test("versions are never put together") {
    val fields = ParsedStatsSanitizer.fields(Set("icu.X.1.a", "icu.X.1.A", "icu.X.2"), Set.empty)
    assert(fields.keySet === fields.values.toSet)
    assert(fields.size === 2)
  }

  test("what cannot name a field has none, nor have names that Spark takes for the same") {
    val odd = Set("", "a.B.\u0000", "a.B.\ud800", "a.B." + "1" * 300, "a\nb.C.1")
    assert(ParsedStatsSanitizer.fields(odd, Set(own)) === Map(own -> own))
    val dotless = "\u0131cu.UNICODE_CI.78.3"
    assert(ParsedStatsSanitizer.fields(Set(dotless, own), Set(own)) === Map(own -> own))
    assert(ParsedStatsSanitizer.fields(Set("s.X.1", "\u017f.X.1"), Set.empty) ===
      Map("s.X.1" -> "s.X.1"))
  }

  private def legible(stats: String): String =
    ParsedStatsSanitizer.legible(
      stats,
      Seq(Seq("name"), Seq("home", "city")),
      Map(own -> own, "ICU.UNICODE_CI.78.3" -> own)
    )

  test("bounds that are strings stay, and are named as their field is") {
    val bounds = """{"minValues":{"name":"a","home":{"city":"b"}},"maxValues":{"name":"z"}}"""
    assert(legible(s"""{"numRecords":1,"statsWithCollation":{"ICU.UNICODE_CI.78.3":$bounds}}""") ===
      s"""{"numRecords":1,"statsWithCollation":{"$own":$bounds}}""")
  }

  test("a bound that is no string is left out, wherever it stands") {
    for (broken <- Seq("7", "true", "null", "[]", """{"a":"z"}""", "\"\\ud800\""))
      assert(
        legible(
          s"""{"minValues":{"id":7,"name":$broken},"statsWithCollation":
            |{"$own":{"minValues":{"name":"a","home":$broken},"maxValues":{"name":$broken}}}}"""
            .stripMargin
        ) === expected(broken)
      )
  }

  /** What stands where a struct belongs is left out as well, but an object may be one. */
  private def expected(broken: String): String = {
    val home = if (broken.startsWith("{")) s""","home":$broken""" else ""
    """{"minValues":{"id":7},"statsWithCollation":""" +
      s"""{"$own":{"minValues":{"name":"a"$home},"maxValues":{}}}}"""
  }

  test("two spellings in one file are left out, since they may disagree") {
    val bounds = """{"minValues":{"name":"a"},"maxValues":{"name":"z"}}"""
    assert(legible(
      s"""{"numRecords":1,"statsWithCollation":{"$own":$bounds,"ICU.UNICODE_CI.78.3":$bounds}}"""
    ) === """{"numRecords":1}""")
  }

  test("what is no JSON says nothing, so that no other parser makes something of it") {
    for (text <- Seq("", "no JSON", "[1]", s"""{"statsWithCollation":{"$own":{"minV"""))
      assert(legible(text) === null)
    assert(legible(null) === null)
  }

  test("what says two things at once, or goes on after its end, says nothing of collations") {
    val bounds =
      s""""statsWithCollation":{"$own":{"minValues":{"name":"z"},"maxValues":{"name":"z"}}}"""
    assert(legible(s"""{"numRecords":1,$bounds,$bounds}""") === """{"numRecords":1}""")
    assert(legible(s"""{"numRecords":1,$bounds} x""") === """{"numRecords":1}""")
  }
}
