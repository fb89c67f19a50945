// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.deltacollations.errors.CollationsException
import org.scalatest.funsuite.AnyFunSuite

class SchemaJsonSuite extends AnyFunSuite {

  /** Supports `icu.de`, with an alias, and `spark.UTF8_BINARY`. */
  private val canonicalId: String => Option[String] = {
    case "ICU.de_DE" => Some("icu.de")
    case id if id.equalsIgnoreCase("icu.de") => Some("icu.de")
    case id if id.equalsIgnoreCase("spark.UTF8_BINARY") => Some("spark.UTF8_BINARY")
    case _ => None
  }

  private val array = """{"type":"array","elementType":"string","containsNull":true}"""

  private def schema(name: String, dataType: String, metadata: String): String =
    s"""{"type":"struct","fields":[{"name":"$name","type":$dataType,"nullable":true,""" +
      s""""metadata":$metadata}]}"""

  private def column(collations: String): String =
    schema("c", "\"string\"", s"""{"comment":"kept","__COLLATIONS":$collations}""")

  private def forSpark(text: String): JsonNode = field(SchemaJson.forSpark(text, canonicalId))

  private def field(text: String): JsonNode = new ObjectMapper().readTree(text).at("/fields/0")

  private def collationsForSpark(text: String): String =
    forSpark(text).at("/metadata/__COLLATIONS").toString

  test("forSpark returns a schema that Spark can read unchanged") {
    for (text <- Seq(column("""{"c":"icu.de"}"""), schema("c", "\"string\"", "{}")))
      assert(SchemaJson.forSpark(text, canonicalId) eq text)
  }

  test("forSpark replaces an alias by Spark's name of the collation") {
    assert(collationsForSpark(column("""{"c":"ICU.de_DE"}""")) === """{"c":"icu.de"}""")
  }

  test("forSpark removes unsupported collations") {
    assert(collationsForSpark(column("""{"c":"acme.X"}""")) === "")
  }

  private val stashed = Seq(
    "an alias" -> column("""{"c":"ICU.de_DE"}"""),
    "a different letter case" -> column("""{"c":"ICU.DE"}"""),
    "an unknown provider" -> column("""{"c":"acme.X"}"""),
    "an identifier without a dot" -> column("""{"c":"UNICODE"}"""),
    "an empty identifier" -> column("""{"c":""}"""),
    "a path to a missing field" -> column("""{"d":"icu.de"}"""),
    "a path in a different letter case" -> column("""{"C":"icu.de"}"""),
    "an entry that is not a string" -> column("""{"c":7}"""),
    "a string instead of an object" -> column("\"icu.de\""),
    "a step after an empty name" -> schema("", array, """{"__COLLATIONS":{".element":"icu.de"}}"""),
    "an empty step" -> schema("c", array, """{"__COLLATIONS":{"c..element":"icu.de"}}"""),
    "a trailing dot" -> column("""{"c.":"icu.de"}"""),
    "one string under its logical and its physical name" -> schema(
      "c",
      "\"string\"",
      """{"delta.columnMapping.physicalName":"p","__COLLATIONS":{"p":"acme.X","c":"icu.de"}}"""
    ),
    "a number with many digits in the same metadata" ->
      schema("c", "\"string\"", """{"d":0.12345678901234567890,"__COLLATIONS":{"c":"acme.X"}}"""),
    "several entries" -> schema(
      "c",
      s"""{"type":"map","keyType":"string","valueType":$array,"valueContainsNull":true}""",
      """{"__COLLATIONS":{"c.key":"acme.X","c.value.element":"ICU.de_DE","c.none":"icu.de"}}"""
    ),
    "a field in a struct in an array" -> schema(
      "outer",
      """{"type":"array","containsNull":true,"elementType":""" +
        column("""{"c":"ICU.de_DE"}""") + "}",
      "{}"
    ),
    "a name with dots" -> schema("a.b", array, """{"__COLLATIONS":{"a.b.element":"acme.X"}}"""),
    "a field named like a step" ->
      schema("element", array, """{"__COLLATIONS":{"element.element":"a.X"}}""")
  )

  for ((what, text) <- stashed)
    test(s"forLog restores $what") {
      val read = SchemaJson.forSpark(text, canonicalId)
      val tree = new ObjectMapper
      assert(tree.readTree(SchemaJson.forLog(read)) === tree.readTree(text))
    }

  for (
    (what, text) <- Seq(
      "is not JSON" -> """{"fields":[{"__COLLATIONS""",
      "is not a struct" -> """["__COLLATIONS"]""",
      "is nested too deeply" -> ("[" * 5000 + "\"__COLLATIONS\"" + "]" * 5000),
      "has a string as metadata" -> schema("__COLLATIONS", "\"string\"", "\"string collate\""),
      "has no metadata" -> """{"fields":[{"name":"__COLLATIONS","type":"string"}]}"""
    )
  )
    test(s"a schema that $what is unchanged") {
      assert(SchemaJson.forSpark(text, canonicalId) eq text)
      assert(SchemaJson.forLog(text) eq text)
      assert(SchemaJson.collatedFields(text) === Nil)
      assert(CollatedColumns.of(text) === Nil)
    }

  for (
    forged <- Seq(
      "\"not JSON\"",
      "7",
      "{}",
      "\"[]\"",
      """"{\"strings\":{\"\":7}}"""",
      """"{\"strings\":{\"\":{\"written\":[]}},\"others\":7}""""
    )
  )
    test(s"forLog drops the forged stash $forged") {
      val text = schema("c", "\"string\"", s"""{"__COLLATIONS_AS_WRITTEN":$forged}""")
      assert(SchemaJson.forLog(text) === schema("c", "\"string\"", "{}"))
    }

  test("forLog leaves a schema unchanged when its forged stash is nested too deeply") {
    val deep = "[" * 998 + "]" * 998
    val forged = new ObjectMapper().writeValueAsString(s"""{"others":{"x":$deep}}""")
    val text = schema("c", "\"string\"", s"""{"__COLLATIONS_AS_WRITTEN":$forged}""")
    assert(SchemaJson.forLog(text) === text)
  }

  test("a stashed collation survives a rename of the column") {
    val read = SchemaJson.forSpark(column("""{"c":"ICU.de_DE"}"""), canonicalId)
    val renamed = read.replace("\"name\":\"c\"", "\"name\":\"n\"").replace("{\"c\":", "{\"n\":")
    assert(field(SchemaJson.forLog(renamed)).at("/metadata/__COLLATIONS/n").asText === "ICU.de_DE")
  }

  test("forLog writes the current collation when it was changed since") {
    val read = SchemaJson.forSpark(column("""{"c":"ICU.de_DE"}"""), canonicalId)
    val now = SchemaJson.forLog(read.replace("{\"c\":\"icu.de\"}", "{\"c\":\"icu.sv\"}"))
    assert(field(now).at("/metadata/__COLLATIONS").toString === """{"c":"icu.sv"}""")
  }

  test("forLog drops an unsupported collation after a change to UTF8_BINARY") {
    val read = SchemaJson.forSpark(column("""{"c":"acme.X"}"""), canonicalId)
    val now = field(SchemaJson.forLog(read.replace("\"string\"", "\"string collate UTF8_BINARY\"")))
    assert(now.get("type").asText === "string")
    assert(now.get("metadata").toString === """{"comment":"kept"}""")
  }

  test("forSpark accepts the physical name of a mapped column") {
    val mapped = """{"delta.columnMapping.physicalName":"p-1","__COLLATIONS":{"p-1":"icu.de"}}"""
    assert(collationsForSpark(schema("c", "\"string\"", mapped)) === """{"c":"icu.de"}""")
  }

  test("forLog writes UTF8_BINARY strings as string at every position") {
    val explicit = "\"string collate UTF8_BINARY\""
    val types = Seq(
      explicit,
      s"""{"type":"array","elementType":$explicit,"containsNull":true}""",
      s"""{"type":"map","keyType":$explicit,"valueType":$explicit,"valueContainsNull":true}"""
    )
    for (dataType <- types) {
      val text = schema("c", dataType, """{"__COLLATIONS":{"c":"spark.UTF8_BINARY"}}""")
      assert(!SchemaJson.forLog(text).toLowerCase.contains("collat"))
    }
  }

  test("forSpark removes an explicit UTF8_BINARY") {
    val read = forSpark(column("""{"c":"SPARK.UTF8_BINARY"}"""))
    assert(read.get("metadata").toString === """{"comment":"kept"}""")
  }

  for (
    (what, dataType, found) <-
      Seq(("a number", "\"integer\"", "integer"), ("an array", array, "array"))
  )
    test(s"a collation on $what is reported with its path") {
      val error = intercept[CollationsException] {
        SchemaJson.forSpark(
          schema("c", dataType, """{"__COLLATIONS":{"c":"icu.de"}}"""),
          canonicalId
        )
      }
      assert(error.getCondition === "COLLATIONS_INVALID_SCHEMA")
      assert(error.getMessage.contains(s"assigns a collation to c, which has type $found"))
    }

  test("a collation on CHAR is rejected") {
    val error = intercept[CollationsException] {
      SchemaJson.forSpark(
        schema("c", "\"char(3)\"", """{"__COLLATIONS":{"c":"icu.de"}}"""),
        canonicalId
      )
    }
    assert(error.getCondition === "COLLATIONS_UNSUPPORTED_COLUMN_TYPE.CHAR_VARCHAR")
  }

  test("hasCollations ignores the key in comments") {
    assert(SchemaJson.hasCollations(column("""{"c":"acme.X"}""")))
    assert(!SchemaJson.hasCollations(schema("c", "\"string\"", """{"comment":"__COLLATIONS"}""")))
    assert(!SchemaJson.hasCollations(null))
  }
}
