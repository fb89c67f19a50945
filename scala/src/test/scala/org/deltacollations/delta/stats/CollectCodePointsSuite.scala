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

  private val other = BoundReference(1, BinaryType, nullable = true)

  private def held(words: Seq[String], more: MutableProjection): Any =
    words.foldLeft[Any](null) { (seen, word) =>
      more(InternalRow(seen, UTF8String.fromString(word))).get(0, BinaryType)
    }

  private def shown(bitmap: Any): String =
    projections(FormatCodePoints(this.bitmap)).map(_(InternalRow(bitmap)).getString(0)) match {
      case Seq(compiled, interpreted) if compiled == interpreted => compiled
      case different => fail(different.toString)
    }

  test("strings are summed up, nulls are not among them, compiled or not") {
    for (more <- projections(AddCodePoints(bitmap, value))) {
      assert(shown(held(Seq("Bob", null, "Zoë", ""), more)) === "4-6 e")
      assert(shown(held(Seq(null, null), more)) === "")
      assert(shown(held(Seq(""), more)) === "")
    }
  }

  test("sums of parts are merged, also with those of no string") {
    val Seq(more, _) = projections(AddCodePoints(bitmap, value)): @unchecked
    val sums = Seq(Seq("Bob"), Nil, Seq("日本"), Seq(null)).map(held(_, more))
    for (merged <- projections(MergeCodePoints(bitmap, other))) {
      val all = sums.foldLeft[Any](null) { (seen, sum) =>
        merged(InternalRow(seen, sum)).get(0, BinaryType)
      }
      assert(shown(all) === "4 6 65e 672")
      assert(shown(sums.head) === "4 6")
    }
  }
}
