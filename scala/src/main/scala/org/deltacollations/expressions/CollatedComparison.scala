// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.expressions

import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{BinaryExpression, Expression, Predicate}
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.SparkSortKeys

/**
 * Compares two collated strings. Returns the same result as Spark's own comparison, but stops at
 * the first difference between the strings.
 */
final case class CollatedComparison(
    left: Expression,
    right: Expression,
    operator: ComparisonOperator,
    keys: SparkSortKeys
) extends BinaryExpression
    with Predicate {

  override def nullIntolerant: Boolean = true

  override def toString: String = s"($left ${operator.symbol} $right using sort_key)"

  override def sql: String = s"(${left.sql} ${operator.symbol} ${right.sql})"

  @transient private lazy val writer = keys.writer()

  override protected def nullSafeEval(left: Any, right: Any): Any = {
    val (leftString, rightString) = (left.asInstanceOf[UTF8String], right.asInstanceOf[UTF8String])
    if (operator == ComparisonOperator.Equal) writer.areEqual(leftString, rightString)
    else operator.matches(writer.compare(leftString, rightString))
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val writer = SortKey.writer(ctx, keys)
    defineCodeGen(
      ctx,
      ev,
      (left, right) =>
        if (operator == ComparisonOperator.Equal) s"$writer.areEqual($left, $right)"
        else s"$writer.compare($left, $right) ${operator.symbol} 0"
    )
  }

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): CollatedComparison = copy(left = newLeft, right = newRight)
}

/**
 * An operator of [[CollatedComparison]].
 *
 * @param symbol
 *   the operator in SQL, which is also the one in Java except for `=`
 * @param matches
 *   returns whether the operator is true, given the result of a comparator
 */
sealed abstract class ComparisonOperator(val symbol: String, val matches: Int => Boolean)
    extends Serializable

object ComparisonOperator {
  case object Equal extends ComparisonOperator("=", _ == 0)
  case object Less extends ComparisonOperator("<", _ < 0)
  case object LessOrEqual extends ComparisonOperator("<=", _ <= 0)
  case object Greater extends ComparisonOperator(">", _ > 0)
  case object GreaterOrEqual extends ComparisonOperator(">=", _ >= 0)
}
