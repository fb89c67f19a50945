// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.correctness

import org.apache.spark.sql.catalyst.expressions.aggregate.First
import org.apache.spark.sql.catalyst.expressions.{Alias, CollationKey, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project}

import org.deltacollations.optimizer.{ArbitraryGroupValue, CollationKeyInjection, GroupingKeys}

/**
 * Spark merges the sessions of `GROUP BY session_window(…), c` by the bytes of `c`, and so makes a
 * session of every spelling, or fails. Grouped by collation keys it merges what is equal.
 */
object SessionWindowByCollationKey extends CorrectnessFix {

  override protected def rewrite(node: LogicalPlan): LogicalPlan = node match {
    case group: Aggregate
        if group.groupingExpressions.exists(GroupingKeys.isSessionWindow) &&
          GroupingKeys.collatedKeys(group).nonEmpty =>
      val loose = GroupingKeys.collatedKeys(group)
      val keys = loose.map(key => key -> Alias(CollationKeyInjection(key)(CollationKey(_)), "key")())
      val shown = GroupingKeys.replaced(group, loose, anyOf)
      Project(
        shown.output,
        group.copy(
          groupingExpressions = group.groupingExpressions.map(key =>
            keys.collectFirst { case (`key`, alias) => alias.toAttribute }.getOrElse(key)
          ),
          aggregateExpressions = shown.columns,
          child = Project(group.child.output ++ keys.map(_._2), group.child)
        )
      )
    case _ => node
  }

  private def anyOf(key: Expression): Expression =
    ArbitraryGroupValue(First(key, ignoreNulls = false).toAggregateExpression())
}
