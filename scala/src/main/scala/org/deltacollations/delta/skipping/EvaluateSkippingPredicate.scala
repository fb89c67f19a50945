// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.expressions.{Expression, TernaryExpression}
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{DataType, IntegerType}
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.delta.scan.{BoundsUse, PredicateResult}
import org.deltacollations.delta.skipping.CollatedSkippingPredicate.Alternative
import org.deltacollations.protocol.ColumnBounds

/**
 * Evaluates `alternatives` on the statistics of a file and returns a [[PredicateResult]].
 *
 * @param first
 *   the bounds of the file, as [[ReadBounds]] returns them
 * @param second
 *   the number of nulls of the column in the file
 * @param third
 *   the number of rows of the file
 * @param physicalPath
 *   the physical names of the column
 * @param alternatives
 *   predicates of which each is true for every matching row, with their indexes in `used`
 * @param used
 *   collects the indexes of the alternatives that files have bounds for
 */
final case class EvaluateSkippingPredicate(
    first: Expression,
    second: Expression,
    third: Expression,
    physicalPath: Seq[String],
    alternatives: Seq[(Alternative, Int)],
    used: BoundsUse.Accumulator
) extends TernaryExpression
    with CodegenFallback {

  override def prettyName: String = "evaluate_skipping_predicate"

  override def dataType: DataType = IntegerType

  override def nullable: Boolean = false

  @transient private lazy val column = UTF8String.fromString(ColumnBounds.key(physicalPath))

  @transient private lazy val evaluators = alternatives.map { case (alternative, index) =>
    new Evaluator(alternative, index)
  }.toArray

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

  /** One alternative is enough to skip a file. Bounds of another version count if no others do. */
  private def evaluate(bounds: ArrayData): Int = {
    val ofColumn = Iterator.tabulate(bounds.numElements())(bounds.getStruct(_, ReadBounds.Fields))
      .filter(_.getUTF8String(ReadBounds.Column) == column).toSeq
    val results = evaluators.map(_.evaluate(ofColumn))
    if (results.contains(PredicateResult.CannotMatch)) PredicateResult.CannotMatch
    else if (results.contains(PredicateResult.MayMatch)) PredicateResult.MayMatch
    else results.max
  }

  /** Evaluates one alternative. */
  final private class Evaluator(alternative: Alternative, index: Int) {

    private val collation =
      UTF8String.fromString(ColumnBounds.caseFolded(alternative.collation))

    private val version = alternative.collation.version.map(UTF8String.fromString).orNull

    /** If writers spelled one collation in several ways, a file is skipped only if no bounds match. */
    def evaluate(ofColumn: Seq[InternalRow]): Int = {
      val ofCollation = ofColumn.filter(_.getUTF8String(ReadBounds.Collation) == collation)
      val ofVersion = ofCollation.filter(_.getUTF8String(ReadBounds.Version) == version)
      if (ofVersion.nonEmpty) {
        used.add(index)
        ofVersion.map(evaluate).max
      } else if (ofCollation.nonEmpty) PredicateResult.OtherVersion
      else PredicateResult.NoStatistics
    }

    private def evaluate(bounds: InternalRow): Int = {
      val min = bounds.getUTF8String(ReadBounds.Min)
      val max = bounds.getUTF8String(ReadBounds.Max)
      val order = alternative.order
      // No writer produces a minimum above the maximum, so such bounds are corrupt and not used.
      val areValid = !hasReplacement(min) && !hasReplacement(max) && order.compare(min, max) <= 0
      if (!areValid || alternative.predicate.mayMatch(min, max, order)) PredicateResult.MayMatch
      else PredicateResult.CannotMatch
    }
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
