// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.deltacollations.errors.CollationsException
import org.scalatest.funsuite.AnyFunSuite

class SchemaJsonSuite extends AnyFunSuite {

  /** Two collations that exist, of which the first has a spelling of its own, and binary. */
  private val spelling: String => Option[String] = {
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

  private def forSpark(text: String): JsonNode = field(SchemaJson.forSpark(text, spelling))

  private def field(text: String): JsonNode = new ObjectMapper().readTree(text).at("/fields/0")

  private def collationsForSpark(text: String): String =
    forSpark(text).at("/metadata/__COLLATIONS").toString

  test("a schema that Spark can read is handed on as it is") {
    for (text <- Seq(column("""{"c":"icu.de"}"""), schema("c", "\"string\"", "{}")))
      assert(SchemaJson.forSpark(text, spelling) eq text)
  }

  test("an equivalent collation is read by Spark's name for it") {
    assert(collationsForSpark(column("""{"c":"ICU.de_DE"}""")) === """{"c":"icu.de"}""")
  }

  test("a collation nobody knows is read as a plain string") {
    assert(collationsForSpark(column("""{"c":"acme.X"}""")) === "")
  }

  private val foreign = Seq(
    "an equivalent collation" -> column("""{"c":"ICU.de_DE"}"""),
    "another letter case" -> column("""{"c":"ICU.DE"}"""),
    "an unknown provider" -> column("""{"c":"acme.X"}"""),
    "no dot" -> column("""{"c":"UNICODE"}"""),
    "an empty text" -> column("""{"c":""}"""),
    "a path that leads nowhere" -> column("""{"d":"icu.de"}"""),
    "a path of another letter case" -> column("""{"C":"icu.de"}"""),
    "an entry that is no text" -> column("""{"c":7}"""),
    "a text in place of all entries" -> column("\"icu.de\""),
    "a step behind no name" -> schema("", array, """{"__COLLATIONS":{".element":"icu.de"}}"""),
    "a step without a name" -> schema("c", array, """{"__COLLATIONS":{"c..element":"icu.de"}}"""),
    "a dot behind the name" -> column("""{"c.":"icu.de"}"""),
    "one string under two names" -> schema(
      "c",
      "\"string\"",
      """{"delta.columnMapping.physicalName":"p","__COLLATIONS":{"p":"acme.X","c":"icu.de"}}"""
    ),
    "a number with many digits beside it" ->
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
    "a name like a step" ->
      schema("element", array, """{"__COLLATIONS":{"element.element":"a.X"}}""")
  )

  for ((what, text) <- foreign)
    test(s"$what comes back to the log as it was written") {
      val read = SchemaJson.forSpark(text, spelling)
      val tree = new ObjectMapper
      assert(tree.readTree(SchemaJson.forLog(read)) === tree.readTree(text))
    }

  for (
    (what, text) <- Seq(
      "is no JSON" -> """{"fields":[{"__COLLATIONS""",
      "is no struct" -> """["__COLLATIONS"]""",
      "goes too deep" -> ("[" * 5000 + "\"__COLLATIONS\"" + "]" * 5000),
      "has a text for metadata" -> schema("__COLLATIONS", "\"string\"", "\"string collate\""),
      "has no metadata" -> """{"fields":[{"name":"__COLLATIONS","type":"string"}]}"""
    )
  )
    test(s"a schema that $what is left to Delta, letter by letter") {
      assert(SchemaJson.forSpark(text, spelling) eq text)
      assert(SchemaJson.forLog(text) eq text)
      assert(SchemaJson.collatedFields(text) === Nil)
      assert(CollatedColumns.of(text) === Nil)
    }

  for (
    mark <- Seq(
      "\"no JSON\"",
      "7",
      "{}",
      "\"[]\"",
      """"{\"strings\":{\"\":7}}"""",
      """"{\"strings\":{\"\":{\"written\":[]}},\"others\":7}""""
    )
  )
    test(s"what a log says in our place, like $mark, is let go") {
      val text = schema("c", "\"string\"", s"""{"__COLLATIONS_AS_WRITTEN":$mark}""")
      assert(SchemaJson.forLog(text) === schema("c", "\"string\"", "{}"))
    }

  test("a forged mark that is too deep to bring back is left where it is") {
    val deep = "[" * 998 + "]" * 998
    val mark = new ObjectMapper().writeValueAsString(s"""{"others":{"x":$deep}}""")
    val text = schema("c", "\"string\"", s"""{"__COLLATIONS_AS_WRITTEN":$mark}""")
    assert(SchemaJson.forLog(text) === text)
  }

  test("what was put aside follows a rename") {
    val read = SchemaJson.forSpark(column("""{"c":"ICU.de_DE"}"""), spelling)
    val renamed = read.replace("\"name\":\"c\"", "\"name\":\"n\"").replace("{\"c\":", "{\"n\":")
    assert(field(SchemaJson.forLog(renamed)).at("/metadata/__COLLATIONS/n").asText === "ICU.de_DE")
  }

  test("a collation that was changed since is written as it is now") {
    val read = SchemaJson.forSpark(column("""{"c":"ICU.de_DE"}"""), spelling)
    val now = SchemaJson.forLog(read.replace("{\"c\":\"icu.de\"}", "{\"c\":\"icu.sv\"}"))
    assert(field(now).at("/metadata/__COLLATIONS").toString === """{"c":"icu.sv"}""")
  }

  test("an unknown collation is gone once the column was made plain by name") {
    val read = SchemaJson.forSpark(column("""{"c":"acme.X"}"""), spelling)
    val now = field(SchemaJson.forLog(read.replace("\"string\"", "\"string collate UTF8_BINARY\"")))
    assert(now.get("type").asText === "string")
    assert(now.get("metadata").toString === """{"comment":"kept"}""")
  }

  test("the physical name of a mapped column is understood where the logical one is not used") {
    val mapped = """{"delta.columnMapping.physicalName":"p-1","__COLLATIONS":{"p-1":"icu.de"}}"""
    assert(collationsForSpark(schema("c", "\"string\"", mapped)) === """{"c":"icu.de"}""")
  }

  test("plain strings are written as such, at every position, and without a name") {
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

  test("a name for binary order in a log is read as no collation at all") {
    val read = forSpark(column("""{"c":"SPARK.UTF8_BINARY"}"""))
    assert(read.get("metadata").toString === """{"comment":"kept"}""")
  }

  for (
    (what, dataType, found) <-
      Seq(("a number", "\"integer\"", "integer"), ("an array", array, "array"))
  )
    test(s"a collation on $what is told with its path") {
      val error = intercept[CollationsException] {
        SchemaJson.forSpark(schema("c", dataType, """{"__COLLATIONS":{"c":"icu.de"}}"""), spelling)
      }
      assert(error.getCondition === "COLLATIONS_SCHEMA_MALFORMED")
      assert(error.getMessage.contains(s"gives a collation to c, which is $found and no string"))
    }

  test("a collation on a fixed-length string is refused with what to use instead") {
    val error = intercept[CollationsException] {
      SchemaJson.forSpark(
        schema("c", "\"char(3)\"", """{"__COLLATIONS":{"c":"icu.de"}}"""),
        spelling
      )
    }
    assert(error.getCondition === "COLLATIONS_COLUMN_UNSUPPORTED.FIXED_LENGTH")
  }

  test("a schema has collations when a field says so, not when a comment does") {
    assert(SchemaJson.hasCollations(column("""{"c":"acme.X"}""")))
    assert(!SchemaJson.hasCollations(schema("c", "\"string\"", """{"comment":"__COLLATIONS"}""")))
    assert(!SchemaJson.hasCollations(null))
  }
}
