// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import org.deltacollations.collation.unicode.CodePointSet
import org.deltacollations.collation.versions.ColumnCodePoints
import org.scalatest.funsuite.AnyFunSuite

class CodePointTagSuite extends AnyFunSuite {

  private val name = Seq("name")

  private val city = Seq("home", "city")

  private val tag = """{"4:name":"4 6","4:home4:city":""}"""

  private def of(tag: String): ColumnCodePoints = ColumnCodePoints(Map(CodePointTag.Name -> tag))

  test("a tag says for each column what it holds, which may be nothing") {
    assert(of(tag).of(name) === CodePointSet.parse("40-4f 60-6f"))
    assert(of(tag).of(city) === Some(CodePointSet.None))
    assert(of(tag).of(Seq("city")) === None)
  }

  test("without a tag, or with a damaged one, nothing is known") {
    assert(ColumnCodePoints(null).of(name) === None)
    assert(ColumnCodePoints(Map.empty).of(name) === None)
    val damaged = Seq(
      null,
      "",
      "{",
      "[]",
      "7",
      """"4 6"""",
      "null",
      """{"4:name":7}""",
      """{"4:name":["4"]}""",
      """{"4:name":null}""",
      """{"4:name":"4 6","4:name":"4 6"}""",
      """{"4:name":"4 6"}}""",
      """{"4:name":"4 6"} x""",
      """{"4:name":{"x":"4"}}""",
      """{"name":"4 6"}""",
      """{"4:name":"""" + "4 " * 100000 + """"}""",
      """{"x":""" + "[" * 100000 + "}",
      """{"x":"""" + "y" * (1 << 20) + """","4:name":"4 6"}"""
    )
    assert(damaged.filter(of(_).of(name).isDefined) === Nil)
  }

  test("the field is cut out of the statistics, and nothing else of them changes") {
    val stats =
      """{"numRecords":1,"minValues":{"x":1.50E3,"y":"a,\"deltaCollations.codePoints\":{}"}"""
    assert(
      CodePointTag.cut(s"""$stats,"deltaCollations.codePoints":$tag}""") ===
        (stats + "}") -> Some(tag)
    )
    assert(CodePointTag.cut(null) === ((null, None)))
  }

  test("a column of that name is no such field") {
    val column = "deltaCollations.codePoints"
    val stats = Seq(
      s"""{"numRecords":1,"minValues":{"a":1,"$column":"x"},"nullCount":{"a":0,"$column":0}}""",
      s"""{"numRecords":1,"nullCount":{"a":0,"$column":{"b":0}}}""",
      s"""{"numRecords":1,"minValues":{"a":1,"$column":{"b":"{"}},"nullCount":{"a":0}}"""
    )
    for (before <- stats) {
      assert(CodePointTag.cut(before) === before -> None)
      val own = s"""{"${CodePointTag.key(Seq(column))}":"4"}"""
      assert(
        CodePointTag.cut(s"""${before.dropRight(1)},"$column":$own}""") === before -> Some(own)
      )
    }
  }

  test("what is read again replaces what was known, and other columns stay") {
    def renewed(before: String): String =
      CodePointTag.renewed(Map(CodePointTag.Name -> before), """{"4:name":"4"}""")
    assert(renewed(tag) === """{"4:name":"4","4:home4:city":""}""")
    assert(renewed("""{ "4:name" : "4" }""") === """{ "4:name" : "4" }""")
    for (damaged <- Seq(null, "", "[]", "{")) assert(renewed(damaged) === """{"4:name":"4"}""")
    assert(CodePointTag.renewed(null, tag) === tag)
  }
}
