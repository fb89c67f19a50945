// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateMutableProjection
import org.apache.spark.sql.catalyst.expressions.{BoundReference, InterpretedMutableProjection}
import org.apache.spark.sql.types.{BinaryType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.{BinaryOrder, SparkOrder}
import org.deltacollations.delta.stats.DropEmptyStructs
import org.scalatest.funsuite.AnyFunSuite

class CollatedMinMaxSuite extends AnyFunSuite {

  private val words = Seq("Mike", null, "Zeta", "alpha", "", "Évry", "ALPHA", "zeta", "z", null)

  private def utf8(text: String): UTF8String = UTF8String.fromString(text)

  private def moreExtreme(end: MinOrMax, collation: String) = UpdateMinMax(
    BoundReference(0, BinaryType, nullable = true),
    BoundReference(1, StringType, nullable = true),
    SparkOrder(collation),
    end
  )

  for (
    end <- Seq(MinOrMax.Min, MinOrMax.Max); collation <- Seq("UTF8_LCASE", "UNICODE", "sv")
  )
    test(s"the $end of some strings under $collation is that of Spark, compiled or not") {
      val order = SparkOrder(collation)
      val compare: Ordering[String] = (a, b) => order.compare(utf8(a), utf8(b))
      val strings = words.filter(_ != null)
      val expected = if (end == MinOrMax.Min) strings.min(compare) else strings.max(compare)
      val expression = Seq(moreExtreme(end, collation))
      for (
        projection <- Seq(
          GenerateMutableProjection.generate(expression, useSubexprElimination = true),
          new InterpretedMutableProjection(expression)
        )
      ) {
        val found = words.foldLeft[Any](null) { (held, word) =>
          projection(InternalRow(held, utf8(word))).get(0, BinaryType)
        }
        assert(compare.equiv(new String(found.asInstanceOf[Array[Byte]], "UTF-8"), expected))
      }
    }

  test("what is held does not change with the memory it was read from") {
    val memory = "bob".getBytes
    val held = moreExtreme(MinOrMax.Min, "UNICODE").choose(null, UTF8String.fromBytes(memory))
    memory(0) = 'z'
    assert(new String(held) === "bob")
  }

  test("bytes have an order of their own") {
    assert(BinaryOrder.compare(utf8("Z"), utf8("a")) < 0)
    assert(BinaryOrder.compare(utf8("\uFFFF"), utf8("🙂")) < 0)
  }

  test("a struct that holds nothing is left out, at every depth") {
    val inner = new StructType().add("x", StringType)
    val schema = new StructType().add("a", inner).add("b", inner)
    val pruned = DropEmptyStructs(BoundReference(0, schema, nullable = true))
    def prune(row: InternalRow): Any = pruned.eval(InternalRow(row))

    assert(prune(InternalRow(InternalRow(null), InternalRow(null))) === null)
    val half = prune(InternalRow(InternalRow(utf8("v")), InternalRow(null)))
    assert(half === InternalRow(InternalRow(utf8("v")), null))
  }
}
