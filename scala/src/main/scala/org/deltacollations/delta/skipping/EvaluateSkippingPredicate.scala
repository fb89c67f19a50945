// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.types.{DataType, IntegerType, LongType}

import org.deltacollations.delta.scan.{BoundsUse, PredicateResult}
import org.deltacollations.delta.skipping.CollatedSkippingPredicate.Alternative

/**
 * Evaluates `alternatives` on the statistics of a file and returns a [[PredicateResult]].
 *
 * @param bounds
 *   the [[FileBounds]] of each alternative
 * @param nulls
 *   the number of nulls of the column in the file
 * @param rows
 *   the number of rows of the file
 * @param alternatives
 *   predicates of which each is true for every matching row, with their indexes in `used`
 * @param used
 *   collects the indexes of the alternatives that files have bounds for
 */
final case class EvaluateSkippingPredicate(
    bounds: Seq[Expression],
    nulls: Expression,
    rows: Expression,
    alternatives: Seq[(Alternative, Int)],
    used: BoundsUse.Accumulator
) extends Expression {

  override def prettyName: String = "evaluate_skipping_predicate"

  override def children: Seq[Expression] = bounds ++ Seq(nulls, rows)

  override def dataType: DataType = IntegerType

  override def nullable: Boolean = false

  @transient private lazy val evaluator = new BoundsEvaluator(alternatives, used)

  override def eval(input: InternalRow): Any = {
    val result = evaluator.evaluate(bounds.map(_.eval(input).asInstanceOf[Array[Byte]]).toArray)
    if (PredicateResult.isKnown(result)) result
    else
      (nulls.eval(input), rows.eval(input)) match {
        case (nulls: Long, rows: Long) => evaluator.withoutBounds(result, nulls, rows)
        case _ => result
      }
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val evaluatorName = ctx.addReferenceObj("evaluator", new BoundsEvaluator(alternatives, used))
    val values = bounds.map(_.genCode(ctx))
    val counts = Seq(nulls, rows)
    val countsOrNot =
      if (counts.forall(_.dataType == LongType)) {
        val Seq(nulls, rows) = counts.map(_.genCode(ctx)): @unchecked
        code"""
          |if (${ev.value} > ${PredicateResult.MayMatch}) {
          |  ${nulls.code}
          |  ${rows.code}
          |  if (!${nulls.isNull} && !${rows.isNull}) {
          |    ${ev.value} = $evaluatorName.withoutBounds(${ev.value}, ${nulls.value}, ${rows.value});
          |  }
          |}""".stripMargin
      } else code""
    val array = values.map(value => s"${value.isNull} ? null : ${value.value}").mkString(", ")
    ev.copy(
      isNull = FalseLiteral,
      code = code"""
        |${values.map(_.code).reduce(_ + _)}
        |int ${ev.value} = $evaluatorName.evaluate(new byte[][] {$array});
        |$countsOrNot""".stripMargin
    )
  }

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): EvaluateSkippingPredicate = copy(
    bounds = newChildren.take(bounds.size),
    nulls = newChildren(bounds.size),
    rows = newChildren(bounds.size + 1)
  )
}

/** Evaluates `alternatives` on the bounds of one file after the other. Not thread-safe. */
final class BoundsEvaluator(alternatives: Seq[(Alternative, Int)], used: BoundsUse.Accumulator)
    extends Serializable {

  @transient private lazy val predicates = alternatives.map(_._1).toArray

  /** Adding an index to the accumulator takes longer than checking whether it was added. */
  @transient private lazy val isRecorded = new Array[Boolean](alternatives.size)

  /**
   * One alternative is enough to skip a file. Bounds of another version count if no others do.
   *
   * @param bounds
   *   the [[FileBounds]] of each alternative; null if there are none
   */
  def evaluate(bounds: Array[Array[Byte]]): Int =
    evaluateFrom(0, bounds, PredicateResult.NoStatistics)

  @tailrec
  private def evaluateFrom(index: Int, bounds: Array[Array[Byte]], before: Int): Int =
    if (index == bounds.length) before
    else {
      val encoded = bounds(index)
      val result =
        if (FileBounds.areOfVersion(encoded)) {
          record(index)
          if (before == PredicateResult.CannotMatch) before
          else evaluate(predicates(index), encoded)
        } else if (before == PredicateResult.NoStatistics && FileBounds.areOfOtherVersion(encoded))
          PredicateResult.OtherVersion
        else before
      evaluateFrom(index + 1, bounds, result)
    }

  private def evaluate(alternative: Alternative, encoded: Array[Byte]): Int =
    if (
      !FileBounds.areValid(encoded) || alternative.predicate.mayMatch(
        FileBounds.min(encoded),
        FileBounds.max(encoded),
        alternative.order
      )
    ) PredicateResult.MayMatch
    else PredicateResult.CannotMatch

  /** A column with only nulls has no bounds, and a comparison with NULL is never true. */
  def withoutBounds(result: Int, nulls: Long, rows: Long): Int =
    if (nulls == rows && rows >= 0) PredicateResult.CannotMatch else result

  private def record(index: Int): Unit =
    if (!isRecorded(index)) {
      isRecorded(index) = true
      used.add(alternatives(index)._2)
    }
}
