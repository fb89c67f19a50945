// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import org.apache.spark.sql.types._

import org.scalatest.funsuite.AnyFunSuite

class CollatedTypesSuite extends AnyFunSuite {

  private val lcase = StringType("UTF8_LCASE")

  private val collated = Seq(
    "a column" -> lcase,
    "trailing blanks ignored" -> StringType("UTF8_BINARY_RTRIM"),
    "the element of an array" -> ArrayType(lcase),
    "the element of an inner array" -> ArrayType(ArrayType(lcase)),
    "the value of a map" -> MapType(IntegerType, lcase),
    "the key of a map" -> MapType(lcase, IntegerType),
    "a field of a struct" -> new StructType().add("f", lcase),
    "a field of a struct in an array" -> ArrayType(new StructType().add("f", lcase))
  )

  for ((where, dataType) <- collated)
    test(s"a collation is found in $where") {
      assert(CollatedTypes.hasCollation(new StructType().add("c", dataType)))
    }

  for ((where, dataType) <- collated)
    test(s"a plain type has no collation left in $where") {
      val plain = CollatedTypes.plain(dataType)
      assert(!CollatedTypes.hasCollation(plain))
      assert(plain.simpleString === dataType.simpleString.replaceAll(" collate \\w+", ""))
    }

  private val plain = Seq(
    "a plain string" -> StringType,
    "a string collated UTF8_BINARY by name" -> StringType("UTF8_BINARY"),
    "a number" -> IntegerType,
    "a map of plain strings" -> MapType(StringType, ArrayType(StringType))
  )

  for ((what, dataType) <- plain)
    test(s"no collation is found in $what") {
      assert(!CollatedTypes.hasCollation(new StructType().add("c", dataType)))
    }

  for ((what, dataType) <- Seq("a plain string" -> StringType, "a collated one" -> lcase))
    test(s"$what has no limit of length") {
      assert(UnconstrainedString.unapply(dataType))
    }

  for (dataType <- Seq(VarcharType(5), CharType(5), IntegerType, ArrayType(StringType)))
    test(s"${dataType.sql} is no string without a limit of length") {
      assert(!UnconstrainedString.unapply(dataType))
    }

  private val unicode = StringType("UNICODE_CI")

  private val alignments = Seq(
    ("a plain string", StringType, lcase, lcase),
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
      "a struct in its own order, by name, without columns it does not have",
      new StructType().add("B", StringType).add("extra", unicode).add("a", unicode),
      new StructType().add("a", lcase).add("b", lcase).add("missing", lcase),
      new StructType().add("B", lcase).add("extra", unicode).add("a", lcase)
    )
  )

  for ((what, brought, wanted, expected) <- alignments)
    test(s"$what takes the collations of a table and nothing else") {
      assert(CollatedTypes.aligned(brought, wanted) === expected)
    }

  test("collated strings are told by the path that SQL knows them by") {
    val schema = new StructType()
      .add("plain", StringType)
      .add("odd name", lcase)
      .add("m", MapType(IntegerType, ArrayType(new StructType().add("f", lcase))))
    assert(
      CollatedTypes.collatedStrings(schema).map(_._1.mkString(".")).toSeq ===
        Seq("`odd name`", "m.value.element.f")
    )
  }

  test("a collated map key is found at any depth, and told by its path") {
    val map = MapType(lcase, IntegerType)
    val schema = new StructType()
      .add("plain", MapType(StringType, lcase))
      .add("m", map)
      .add("s", new StructType().add("inner", ArrayType(MapType(IntegerType, map))))
    assert(
      CollatedTypes.collatedMapKeys(schema) ===
        Seq(Seq("m") -> lcase, Seq("s", "inner", "element", "value") -> lcase)
    )
  }
}
