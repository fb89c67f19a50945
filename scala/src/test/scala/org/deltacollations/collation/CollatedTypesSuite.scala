// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import org.apache.spark.sql.types._

import org.scalatest.funsuite.AnyFunSuite

class CollatedTypesSuite extends AnyFunSuite {

  private val lcase = StringType("UTF8_LCASE")

  private val collated = Seq(
    "a column" -> lcase,
    "a column that ignores trailing spaces" -> StringType("UTF8_BINARY_RTRIM"),
    "the element of an array" -> ArrayType(lcase),
    "the element of a nested array" -> ArrayType(ArrayType(lcase)),
    "the value of a map" -> MapType(IntegerType, lcase),
    "the key of a map" -> MapType(lcase, IntegerType),
    "a field of a struct" -> new StructType().add("f", lcase),
    "a field of a struct in an array" -> ArrayType(new StructType().add("f", lcase))
  )

  for ((where, dataType) <- collated)
    test(s"hasCollation finds a collation in $where") {
      assert(CollatedTypes.hasCollation(new StructType().add("c", dataType)))
    }

  for ((where, dataType) <- collated)
    test(s"withoutCollations removes the collation from $where") {
      val uncollated = CollatedTypes.withoutCollations(dataType)
      assert(!CollatedTypes.hasCollation(uncollated))
      assert(uncollated.simpleString === dataType.simpleString.replaceAll(" collate \\w+", ""))
    }

  private val uncollated = Seq(
    "a string" -> StringType,
    "a string with an explicit UTF8_BINARY" -> StringType("UTF8_BINARY"),
    "a number" -> IntegerType,
    "a map of strings without collation" -> MapType(StringType, ArrayType(StringType))
  )

  for ((what, dataType) <- uncollated)
    test(s"hasCollation does not find a collation in $what") {
      assert(!CollatedTypes.hasCollation(new StructType().add("c", dataType)))
    }

  for ((what, dataType) <- Seq("a string" -> StringType, "a collated string" -> lcase))
    test(s"UnconstrainedString matches $what") {
      assert(UnconstrainedString.unapply(dataType))
    }

  for (dataType <- Seq(VarcharType(5), CharType(5), IntegerType, ArrayType(StringType)))
    test(s"UnconstrainedString does not match ${dataType.sql}") {
      assert(!UnconstrainedString.unapply(dataType))
    }

  private val unicode = StringType("UNICODE_CI")

  private val conversions = Seq(
    ("a string", StringType, lcase, lcase),
    ("a collated string", unicode, StringType, StringType),
    ("another type", IntegerType, lcase, IntegerType),
    (
      "an array",
      ArrayType(StringType, containsNull = false),
      ArrayType(lcase),
      ArrayType(lcase, containsNull = false)
    ),
    (
      "both sides of a map",
      MapType(unicode, StringType),
      MapType(StringType, lcase),
      MapType(StringType, lcase)
    ),
    (
      "a struct by field name, keeping its own fields and their order",
      new StructType().add("B", StringType).add("extra", unicode).add("a", unicode),
      new StructType().add("a", lcase).add("b", lcase).add("missing", lcase),
      new StructType().add("B", lcase).add("extra", unicode).add("a", lcase)
    )
  )

  for ((what, dataType, table, expected) <- conversions)
    test(s"withCollationsOf changes only the collations of $what") {
      assert(CollatedTypes.withCollationsOf(dataType, table) === expected)
    }

  test("collatedStrings returns paths quoted for SQL") {
    val schema = new StructType()
      .add("uncollated", StringType)
      .add("odd name", lcase)
      .add("m", MapType(IntegerType, ArrayType(new StructType().add("f", lcase))))
    assert(
      CollatedTypes.collatedStrings(schema).map(_._1.mkString(".")).toSeq ===
        Seq("`odd name`", "m.value.element.f")
    )
  }

  test("collatedMapKeys finds maps with a collated key at any depth") {
    val map = MapType(lcase, IntegerType)
    val schema = new StructType()
      .add("uncollated", MapType(StringType, lcase))
      .add("m", map)
      .add("s", new StructType().add("inner", ArrayType(MapType(IntegerType, map))))
    assert(
      CollatedTypes.collatedMapKeys(schema) ===
        Seq(Seq("m") -> lcase, Seq("s", "inner", "element", "value") -> lcase)
    )
  }
}
