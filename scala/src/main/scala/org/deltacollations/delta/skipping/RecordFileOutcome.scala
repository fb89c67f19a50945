// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.expressions.codegen.{
  CodegenContext,
  ExprCode,
  FalseLiteral,
  JavaCode
}
import org.apache.spark.sql.catalyst.expressions.{Expression, LeafExpression}
import org.apache.spark.sql.types.{BooleanType, DataType}

import org.deltacollations.delta.scan.{FileOutcomeAccumulator, PredicateResult}

/**
 * Returns whether a file is read, and counts the file by its outcome.
 *
 * This is an expression and not a UDF, because each task would create the encoders of a UDF, which
 * takes longer than the evaluation.
 *
 * @param isReadByDelta
 *   whether Delta alone, without the collated predicates, would read the file
 * @param results
 *   the [[PredicateResult]] of each collated predicate
 * @param isRead
 *   whether the file is read, with a [[MayMatchResult]] in place of each collated predicate. It is
 *   evaluated only if one of them cannot match, because otherwise it equals `isReadByDelta`
 * @param current
 *   the results for the current file, which `isRead` refers to
 */
final case class RecordFileOutcome(
    isReadByDelta: Expression,
    results: Seq[Expression],
    isRead: Expression,
    current: Array[Int],
    outcomes: FileOutcomeAccumulator
) extends Expression {

  override def prettyName: String = "record_file_outcome"

  override def children: Seq[Expression] = isReadByDelta +: results :+ isRead

  override def dataType: DataType = BooleanType

  override def nullable: Boolean = false

  /** Spark must evaluate it exactly once per file, so it must not move or repeat it. */
  override lazy val deterministic: Boolean = false

  override def eval(input: InternalRow): Any = {
    val isReadByDelta = this.isReadByDelta.eval(input) == true
    if (isReadByDelta)
      results.indices.foreach(index =>
        current(index) = results(index).eval(input).asInstanceOf[Int]
      )
    val isRead = isReadByDelta &&
      (!current.contains(PredicateResult.CannotMatch) || this.isRead.eval(input) == true)
    outcomes.count(isRead, isReadByDelta, current.max)
    isRead
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val outcomesName = ctx.addReferenceObj("outcomes", outcomes)
    val currentName = ctx.addReferenceObj("current", current, "int[]")
    val (delta, evaluated, read) =
      (isReadByDelta.genCode(ctx), results.map(_.genCode(ctx)), isRead.genCode(ctx))
    val highest = ctx.freshName("highest")
    val isSkipped = ctx.freshName("isSkipped")
    val byDelta = ctx.freshName("isReadByDelta")
    val each = evaluated.zipWithIndex.map { case (result, index) =>
      code"""
        |${result.code}
        |$currentName[$index] = ${result.value};
        |$highest = Math.max($highest, ${result.value});
        |$isSkipped |= ${result.value} == ${PredicateResult.CannotMatch};""".stripMargin
    }.reduce(_ + _)
    ev.copy(
      isNull = FalseLiteral,
      code = code"""
        |${delta.code}
        |boolean $byDelta = !${delta.isNull} && ${delta.value};
        |boolean ${ev.value} = $byDelta;
        |int $highest = 0;
        |if ($byDelta) {
        |  boolean $isSkipped = false;
        |  $each
        |  if ($isSkipped) {
        |    ${read.code}
        |    ${ev.value} = !${read.isNull} && ${read.value};
        |  }
        |}
        |$outcomesName.count(${ev.value}, $byDelta, $highest);""".stripMargin
    )
  }

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): RecordFileOutcome = copy(
    isReadByDelta = newChildren.head,
    results = newChildren.tail.init,
    isRead = newChildren.last
  )
}

/** Whether a file may match a predicate, by its result in `current` of [[RecordFileOutcome]]. */
final case class MayMatchResult(current: Array[Int], index: Int) extends LeafExpression {

  override def dataType: DataType = BooleanType

  override def nullable: Boolean = false

  override def eval(input: InternalRow): Any = current(index) != PredicateResult.CannotMatch

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val currentName = ctx.addReferenceObj("current", current, "int[]")
    val value = s"($currentName[$index] != ${PredicateResult.CannotMatch})"
    ExprCode(FalseLiteral, JavaCode.expression(value, BooleanType))
  }
}
