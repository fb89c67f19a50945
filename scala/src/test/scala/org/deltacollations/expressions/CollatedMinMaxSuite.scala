// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateMutableProjection
import org.apache.spark.sql.catalyst.expressions.{BoundReference, InterpretedMutableProjection}
import org.apache.spark.sql.types.{BinaryType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.SparkOrder
import org.scalatest.funsuite.AnyFunSuite

class CollatedMinMaxSuite extends AnyFunSuite {

  private val words = Seq("Mike", null, "Zeta", "alpha", "", "Évry", "ALPHA", "zeta", "z", null)

  private def utf8(string: String): UTF8String = UTF8String.fromString(string)

  private def updateMinMax(minOrMax: MinOrMax, collation: String) = UpdateMinMax(
    BoundReference(0, BinaryType, nullable = true),
    BoundReference(1, StringType, nullable = true),
    SparkOrder(collation),
    minOrMax
  )

  for (minOrMax <- Seq(MinOrMax.Min, MinOrMax.Max); collation <- Seq("UTF8_LCASE", "UNICODE", "sv"))
    test(s"$minOrMax under $collation equals Spark's, with and without codegen") {
      val order = SparkOrder(collation)
      val compare: Ordering[String] = (a, b) => order.compare(utf8(a), utf8(b))
      val strings = words.filter(_ != null)
      val expected = if (minOrMax == MinOrMax.Min) strings.min(compare) else strings.max(compare)
      val expression = Seq(updateMinMax(minOrMax, collation))
      for (
        projection <- Seq(
          GenerateMutableProjection.generate(expression, useSubexprElimination = true),
          new InterpretedMutableProjection(expression)
        )
      ) {
        val found = words.foldLeft[Any](null) { (extreme, word) =>
          projection(InternalRow(extreme, utf8(word))).get(0, BinaryType)
        }
        assert(compare.equiv(new String(found.asInstanceOf[Array[Byte]], "UTF-8"), expected))
      }
    }

  test("the buffer does not change when the memory of the input is reused") {
    val memory = "bob".getBytes
    val extreme = updateMinMax(MinOrMax.Min, "UNICODE").update(null, UTF8String.fromBytes(memory))
    memory(0) = 'z'
    assert(new String(extreme) === "bob")
  }
}
