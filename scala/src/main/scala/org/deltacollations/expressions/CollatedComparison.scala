// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.expressions

import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{BinaryExpression, Expression, Predicate}
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.SparkSortKeys

/** A comparison of two collated strings, like Spark's own, but decided where they first differ. */
final case class CollatedComparison(
    left: Expression,
    right: Expression,
    test: ComparisonOperator,
    keys: SparkSortKeys
) extends BinaryExpression
    with Predicate {

  override def nullIntolerant: Boolean = true

  override def toString: String = s"($left ${test.sign} $right using sort_key)"

  override def sql: String = s"(${left.sql} ${test.sign} ${right.sql})"

  @transient private lazy val writer = keys.writer()

  override protected def nullSafeEval(left: Any, right: Any): Any = {
    val (one, other) = (left.asInstanceOf[UTF8String], right.asInstanceOf[UTF8String])
    if (test == ComparisonOperator.Equal) writer.areEqual(one, other)
    else test.holds(writer.compare(one, other))
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val writer = SortKey.writer(ctx, keys)
    defineCodeGen(
      ctx,
      ev,
      (one, other) =>
        if (test == ComparisonOperator.Equal) s"$writer.areEqual($one, $other)"
        else s"$writer.compare($one, $other) ${test.sign} 0"
    )
  }

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): CollatedComparison = copy(left = newLeft, right = newRight)
}

/** What is asked about two strings. */
sealed abstract class ComparisonOperator(val sign: String, val holds: Int => Boolean)
    extends Serializable

object ComparisonOperator {
  case object Equal extends ComparisonOperator("=", _ == 0)
  case object Less extends ComparisonOperator("<", _ < 0)
  case object LessOrEqual extends ComparisonOperator("<=", _ <= 0)
  case object Greater extends ComparisonOperator(">", _ > 0)
  case object GreaterOrEqual extends ComparisonOperator(">=", _ >= 0)
}
