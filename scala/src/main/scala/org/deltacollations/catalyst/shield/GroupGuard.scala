// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.catalyst.shield

import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}

import org.deltacollations.catalyst.speed.Keys

/**
 * Spark moves `HAVING hex(c) = '61'` below `GROUP BY c`, and then counts a part of the group.
 *
 * The value a group shows for its key is any of its values. Told so, Spark moves no filter;
 * [[PushThroughGroups]] moves what may be moved. Without a function, as for `DISTINCT`, there is
 * nothing to be counted wrong.
 */
object GroupGuard extends Guard {

  override def apply(node: LogicalPlan): LogicalPlan = node match {
    case group: Aggregate
        if group.groupingExpressions.exists(Keys.isLoose) &&
          group.aggregateExpressions.exists(_.exists(_.isInstanceOf[AggregateExpression])) =>
      val keys = group.groupingExpressions.filter(Keys.isLoose)
      group.copy(aggregateExpressions =
        group.aggregateExpressions.map(shown(_, keys, Veiled(_, arbitrary = true)))
      )
    case _ => node
  }

  /** A column of the result with `keys` shown by other means, under the name it had. */
  def shown(
      column: NamedExpression,
      keys: Seq[Expression],
      how: Expression => Expression
  ): NamedExpression = {
    def replaced(expression: Expression): Expression = expression match {
      case function: AggregateExpression => function
      case key if keys.exists(_.semanticEquals(key)) => how(key)
      case other => other.mapChildren(replaced)
    }
    column match {
      case key: Attribute if keys.exists(_.semanticEquals(key)) =>
        Alias(how(key), key.name)(key.exprId, key.qualifier, Some(key.metadata))
      case other => replaced(other).asInstanceOf[NamedExpression]
    }
  }
}
