// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import org.scalatest.funsuite.AnyFunSuite

class CollatedColumnsSuite extends AnyFunSuite {

  private def field(name: String, dataType: String, metadata: String = "{}") =
    s"""{"name":"$name","type":$dataType,"nullable":true,"metadata":$metadata}"""

  private def collated(name: String, key: String, more: String = "") =
    s"""{"__COLLATIONS":{"$key":"icu.$name"}$more}"""

  private def struct(fields: String*) = s"""{"type":"struct","fields":[${fields.mkString(",")}]}"""

  test("CollatedColumns finds collated strings at every depth, with the top-level position") {
    val inner = struct(field("deep", "\"string\"", collated("de", "deep")), field("n", "\"long\""))
    val array = """{"type":"array","elementType":{"type":"array","elementType":"string"}}"""
    val map = """{"type":"map","keyType":"string","valueType":"string"}"""
    val schema = struct(
      field("plain", "\"string\""),
      field("top", "\"string\"", collated("sv", "top")),
      field("s", inner),
      field("a", array, collated("da", "a.element.element")),
      field("m", map, collated("hr", "m.value"))
    )
    assert(CollatedColumns.of(schema) === Seq(
      CollatedColumn(Seq("top"), Seq("top"), "icu.sv", 2, isInCollection = false),
      CollatedColumn(Seq("s", "deep"), Seq("s", "deep"), "icu.de", 3, isInCollection = false),
      CollatedColumn(
        Seq("a", "element", "element"),
        Seq("a", "element", "element"),
        "icu.da",
        4,
        isInCollection = true
      ),
      CollatedColumn(Seq("m", "value"), Seq("m", "value"), "icu.hr", 5, isInCollection = true)
    ))
  }

  test("a collation is found under the logical and under the physical name of a mapped column") {
    val mapping = ""","delta.columnMapping.physicalName":"col-1""""
    for (key <- Seq("name", "col-1")) {
      val schema = struct(field("name", "\"string\"", collated("sv", key, mapping)))
      assert(CollatedColumns.of(schema).map(column => column.path -> column.physicalPath) ===
        Seq(Seq("name") -> Seq("col-1")))
    }
  }

  test("CollatedColumns ignores entries that are not a collation of a string") {
    val ignored = Seq(
      field("n", "\"long\"", collated("sv", "n")),
      field("b", "\"string\"", """{"__COLLATIONS":{"b":"spark.UTF8_BINARY"}}"""),
      field("t", "\"string\"", """{"__COLLATIONS":{"t":7}}"""),
      field("u", "\"string\"", """{"__COLLATIONS":"icu.sv"}"""),
      field("x", "\"string\"", collated("sv", "y"))
    )
    assert(CollatedColumns.of(struct(ignored: _*)) === Nil)
    assert(CollatedColumns.of(null) === Nil)
  }
}
