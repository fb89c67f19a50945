// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.expressions.{Expression, LeafExpression, TernaryExpression}
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{BooleanType, DataType, IntegerType}
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.CollationOrder
import org.deltacollations.delta.scan.PredicateResult
import org.deltacollations.protocol.{CollationId, ColumnBounds}

/**
 * A predicate on one string column under one collation, to be asked of the statistics of files. As
 * long as nobody has said where those are, it is true: every file may match.
 *
 * @param column
 *   the names from the top of the table to the column, as the query has them
 * @param collation
 *   what the predicate compares by, whatever the column is declared as; with the running version
 */
final case class CollatedSkippingPredicate(
    column: Seq[String],
    collation: CollationId,
    order: CollationOrder,
    test: BoundsPredicate
) extends LeafExpression
    with CodegenFallback {

  override def dataType: DataType = BooleanType

  override def nullable: Boolean = false

  override def eval(input: InternalRow): Any = true

  /** What the statistics say; `bounds` as [[ReadBounds]] makes them, `physical` as files name it. */
  def judged(
      physical: Seq[String],
      bounds: Expression,
      nulls: Expression,
      rows: Expression
  ): Expression = EvaluateSkippingPredicate(bounds, nulls, rows, physical, this)
}

/** What the statistics of a file say to `condition`; see [[PredicateResult]]. */
final case class EvaluateSkippingPredicate(
    first: Expression,
    second: Expression,
    third: Expression,
    physical: Seq[String],
    condition: CollatedSkippingPredicate
) extends TernaryExpression
    with CodegenFallback {

  override def dataType: DataType = IntegerType

  override def nullable: Boolean = false

  @transient private lazy val column = UTF8String.fromString(ColumnBounds.key(physical))

  @transient private lazy val collation =
    UTF8String.fromString(ColumnBounds.folded(condition.collation))

  @transient private lazy val version =
    condition.collation.version.map(UTF8String.fromString).orNull

  override def eval(input: InternalRow): Any = {
    val verdict = first.eval(input) match {
      case bounds: ArrayData => judge(bounds)
      case _ => PredicateResult.NoStatistics
    }
    val isUnknown = verdict != PredicateResult.CannotMatch && verdict != PredicateResult.MayMatch
    if (isUnknown && hasOnlyNulls(input)) PredicateResult.CannotMatch else verdict
  }

  /** A column of nulls has no bounds, and none of its rows makes a comparison true. */
  private def hasOnlyNulls(input: InternalRow): Boolean =
    (second.eval(input), third.eval(input)) match {
      case (nulls: Long, rows: Long) => nulls == rows && rows >= 0
      case _ => false
    }

  /** Where two writers spelt one collation in two ways, both have to agree that nothing matches. */
  private def judge(bounds: ArrayData): Int = {
    val found = Iterator.tabulate(bounds.numElements())(bounds.getStruct(_, ReadBounds.Fields))
      .filter { bounds =>
        bounds.getUTF8String(ReadBounds.Column) == column &&
        bounds.getUTF8String(ReadBounds.Collation) == collation
      }.toSeq
    val verdicts = found.filter(_.getUTF8String(ReadBounds.Version) == version).map(judge)
    if (verdicts.nonEmpty) verdicts.max
    else if (found.nonEmpty) PredicateResult.OtherVersion
    else PredicateResult.NoStatistics
  }

  private def judge(bounds: InternalRow): Int = {
    val min = bounds.getUTF8String(ReadBounds.Min)
    val max = bounds.getUTF8String(ReadBounds.Max)
    // A file has no such bounds; someone has damaged them.
    val areBounds = !isMended(min) && !isMended(max) && condition.order.compare(min, max) <= 0
    if (!areBounds || condition.test.mayHold(min, max, condition.order)) PredicateResult.MayMatch
    else PredicateResult.CannotMatch
  }

  /** The character that stands where bytes were no UTF-8, and hides what they were meant to be. */
  private def isMended(bound: UTF8String): Boolean =
    bound.contains(EvaluateSkippingPredicate.Replacement)

  override protected def withNewChildrenInternal(
      newFirst: Expression,
      newSecond: Expression,
      newThird: Expression
  ): EvaluateSkippingPredicate = copy(first = newFirst, second = newSecond, third = newThird)
}

object EvaluateSkippingPredicate {

  private val Replacement = UTF8String.fromString("\uFFFD")
}
