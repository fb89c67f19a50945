// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import org.scalatest.funsuite.AnyFunSuite

class ParsedStatsSanitizerSuite extends AnyFunSuite {

  private val own = "icu.UNICODE_CI.78.3"

  test("spellings of one identifier share a field, named after an own identifier if possible") {
    assert(
      ParsedStatsSanitizer.fieldNames(
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

  test("versions that differ only in case never share a field") {
    val fields =
      ParsedStatsSanitizer.fieldNames(Set("icu.X.1.a", "icu.X.1.A", "icu.X.2"), Set.empty)
    assert(fields.keySet === fields.values.toSet)
    assert(fields.size === 2)
  }

  test("invalid field names, and names that only Spark considers equal, have no field") {
    val invalid = Set("", "a.B.\u0000", "a.B.\ud800", "a.B." + "1" * 300, "a\nb.C.1")
    assert(ParsedStatsSanitizer.fieldNames(invalid, Set(own)) === Map(own -> own))
    val dotless = "\u0131cu.UNICODE_CI.78.3"
    assert(ParsedStatsSanitizer.fieldNames(Set(dotless, own), Set(own)) === Map(own -> own))
    assert(ParsedStatsSanitizer.fieldNames(Set("s.X.1", "\u017f.X.1"), Set.empty) ===
      Map("s.X.1" -> "s.X.1"))
  }

  private def sanitized(stats: String): String =
    ParsedStatsSanitizer.sanitized(
      stats,
      Seq(Seq("name"), Seq("home", "city")),
      Map(own -> own, "ICU.UNICODE_CI.78.3" -> own)
    )

  test("sanitized keeps string bounds and renames identifiers to their field names") {
    val bounds = """{"minValues":{"name":"a","home":{"city":"b"}},"maxValues":{"name":"z"}}"""
    assert(
      sanitized(s"""{"numRecords":1,"statsWithCollation":{"ICU.UNICODE_CI.78.3":$bounds}}""") ===
        s"""{"numRecords":1,"statsWithCollation":{"$own":$bounds}}"""
    )
  }

  test("sanitized removes bounds that are not strings at every level") {
    for (invalid <- Seq("7", "true", "null", "[]", """{"a":"z"}""", "\"\\ud800\""))
      assert(
        sanitized(
          s"""{"minValues":{"id":7,"name":$invalid},"statsWithCollation":
            |{"$own":{"minValues":{"name":"a","home":$invalid},"maxValues":{"name":$invalid}}}}"""
            .stripMargin
        ) === expected(invalid)
      )
  }

  /** Values in place of a struct are removed as well, unless they are objects. */
  private def expected(invalid: String): String = {
    val home = if (invalid.startsWith("{")) s""","home":$invalid""" else ""
    """{"minValues":{"id":7},"statsWithCollation":""" +
      s"""{"$own":{"minValues":{"name":"a"$home},"maxValues":{}}}}"""
  }

  test("sanitized removes bounds that one file has under two spellings") {
    val bounds = """{"minValues":{"name":"a"},"maxValues":{"name":"z"}}"""
    assert(sanitized(
      s"""{"numRecords":1,"statsWithCollation":{"$own":$bounds,"ICU.UNICODE_CI.78.3":$bounds}}"""
    ) === """{"numRecords":1}""")
  }

  test("sanitized returns null for strings that are not a JSON object") {
    for (text <- Seq("", "not JSON", "[1]", s"""{"statsWithCollation":{"$own":{"minV"""))
      assert(sanitized(text) === null)
    assert(sanitized(null) === null)
  }

  test("sanitized removes collated bounds when there are duplicate keys or trailing tokens") {
    val bounds =
      s""""statsWithCollation":{"$own":{"minValues":{"name":"z"},"maxValues":{"name":"z"}}}"""
    assert(sanitized(s"""{"numRecords":1,$bounds,$bounds}""") === """{"numRecords":1}""")
    assert(sanitized(s"""{"numRecords":1,$bounds} x""") === """{"numRecords":1}""")
  }
}
