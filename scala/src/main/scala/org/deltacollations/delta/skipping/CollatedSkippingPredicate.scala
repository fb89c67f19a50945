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
 * A predicate on the bounds of one string column under one collation. Delta carries it inside its
 * own filter of files until [[CollatedFileFilter]] replaces it by [[EvaluateSkippingPredicate]]. Until
 * then it is true, so every file is read if that does not happen.
 *
 * @param column
 *   the logical path of the column, from the root of the schema
 * @param collation
 *   the collation of the comparison, which may differ from that of the column, with the current ICU
 *   version
 */
final case class CollatedSkippingPredicate(
    column: Seq[String],
    collation: CollationId,
    order: CollationOrder,
    predicate: BoundsPredicate
) extends LeafExpression
    with CodegenFallback {

  override def dataType: DataType = BooleanType

  override def nullable: Boolean = false

  override def eval(input: InternalRow): Any = true

  /**
   * Returns the expression that evaluates this predicate on the statistics of a file.
   *
   * @param physicalPath
   *   the physical names of the column
   * @param bounds
   *   the bounds of the file, as [[ReadBounds]] returns them
   */
  def evaluate(
      physicalPath: Seq[String],
      bounds: Expression,
      nulls: Expression,
      rows: Expression
  ): Expression = EvaluateSkippingPredicate(bounds, nulls, rows, physicalPath, this)
}

/**
 * Evaluates `condition` on the statistics of a file and returns a [[PredicateResult]].
 *
 * @param first
 *   the bounds of the file
 * @param second
 *   the number of nulls of the column in the file
 * @param third
 *   the number of rows of the file
 */
final case class EvaluateSkippingPredicate(
    first: Expression,
    second: Expression,
    third: Expression,
    physicalPath: Seq[String],
    condition: CollatedSkippingPredicate
) extends TernaryExpression
    with CodegenFallback {

  override def prettyName: String = "evaluate_skipping_predicate"

  override def dataType: DataType = IntegerType

  override def nullable: Boolean = false

  @transient private lazy val column = UTF8String.fromString(ColumnBounds.key(physicalPath))

  @transient private lazy val collation =
    UTF8String.fromString(ColumnBounds.caseFolded(condition.collation))

  @transient private lazy val version =
    condition.collation.version.map(UTF8String.fromString).orNull

  override def eval(input: InternalRow): Any = {
    val result = first.eval(input) match {
      case bounds: ArrayData => evaluate(bounds)
      case _ => PredicateResult.NoStatistics
    }
    val isUnknown = result != PredicateResult.CannotMatch && result != PredicateResult.MayMatch
    if (isUnknown && hasOnlyNulls(input)) PredicateResult.CannotMatch else result
  }

  /** A column with only nulls has no bounds, and a comparison with NULL is never true. */
  private def hasOnlyNulls(input: InternalRow): Boolean =
    (second.eval(input), third.eval(input)) match {
      case (nulls: Long, rows: Long) => nulls == rows && rows >= 0
      case _ => false
    }

  /** If writers spelled one collation in several ways, the file is skipped only if no bounds match. */
  private def evaluate(bounds: ArrayData): Int = {
    val ofColumn = Iterator.tabulate(bounds.numElements())(bounds.getStruct(_, ReadBounds.Fields))
      .filter { bounds =>
        bounds.getUTF8String(ReadBounds.Column) == column &&
        bounds.getUTF8String(ReadBounds.Collation) == collation
      }.toSeq
    val results = ofColumn.filter(_.getUTF8String(ReadBounds.Version) == version).map(evaluate)
    if (results.nonEmpty) results.max
    else if (ofColumn.nonEmpty) PredicateResult.OtherVersion
    else PredicateResult.NoStatistics
  }

  private def evaluate(bounds: InternalRow): Int = {
    val min = bounds.getUTF8String(ReadBounds.Min)
    val max = bounds.getUTF8String(ReadBounds.Max)
    // No writer produces a minimum above the maximum, so such bounds are corrupt and not used.
    val areValid =
      !hasReplacement(min) && !hasReplacement(max) && condition.order.compare(min, max) <= 0
    if (!areValid || condition.predicate.mayMatch(min, max, condition.order))
      PredicateResult.MayMatch
    else PredicateResult.CannotMatch
  }

  /** U+FFFD replaces malformed UTF-8, so the original bound is not known. */
  private def hasReplacement(bound: UTF8String): Boolean =
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
