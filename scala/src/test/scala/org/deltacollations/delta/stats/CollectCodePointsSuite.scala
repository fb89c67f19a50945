// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateMutableProjection
import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  Expression,
  InterpretedMutableProjection,
  MutableProjection
}
import org.apache.spark.sql.types.{BinaryType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import org.scalatest.funsuite.AnyFunSuite

class CollectCodePointsSuite extends AnyFunSuite {

  private def projections(expression: Expression): Seq[MutableProjection] = Seq(
    GenerateMutableProjection.generate(Seq(expression), useSubexprElimination = true),
    new InterpretedMutableProjection(Seq(expression))
  )

  private val bitmap = BoundReference(0, BinaryType, nullable = true)

  private val value = BoundReference(1, StringType("UNICODE_CI"), nullable = true)

  private val otherBitmap = BoundReference(1, BinaryType, nullable = true)

  private def collect(strings: Seq[String], addCodePoints: MutableProjection): Any =
    strings.foldLeft[Any](null) { (bitmap, string) =>
      addCodePoints(InternalRow(bitmap, UTF8String.fromString(string))).get(0, BinaryType)
    }

  private def format(bitmap: Any): String =
    projections(FormatCodePoints(this.bitmap)).map(_(InternalRow(bitmap)).getString(0)) match {
      case Seq(generated, interpreted) if generated == interpreted => generated
      case different => fail(different.toString)
    }

  test("code points of all strings but nulls are collected, with and without codegen") {
    for (addCodePoints <- projections(AddCodePoints(bitmap, value))) {
      assert(format(collect(Seq("Bob", null, "Zoë", ""), addCodePoints)) === "4-6 e")
      assert(format(collect(Seq(null, null), addCodePoints)) === "")
      assert(format(collect(Seq(""), addCodePoints)) === "")
    }
  }

  test("partial results are merged, including those of no strings") {
    val Seq(addCodePoints, _) = projections(AddCodePoints(bitmap, value)): @unchecked
    val partial =
      Seq(Seq("Bob"), Nil, Seq("日本"), Seq(null)).map(collect(_, addCodePoints))
    for (mergeCodePoints <- projections(MergeCodePoints(bitmap, otherBitmap))) {
      val merged = partial.foldLeft[Any](null) { (bitmap, other) =>
        mergeCodePoints(InternalRow(bitmap, other)).get(0, BinaryType)
      }
      assert(format(merged) === "4 6 65e 672")
      assert(format(partial.head) === "4 6")
    }
  }
}
