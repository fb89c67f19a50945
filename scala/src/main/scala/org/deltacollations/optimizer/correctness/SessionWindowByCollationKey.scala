// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.correctness

import org.apache.spark.sql.catalyst.expressions.aggregate.First
import org.apache.spark.sql.catalyst.expressions.{Alias, CollationKey, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project}

import org.deltacollations.optimizer.{ArbitraryGroupValue, CollationKeyInjection, GroupingKeys}

/**
 * Groups `GROUP BY session_window(…), c` by the collation key of `c`. Spark merges sessions by the
 * bytes of `c`, and so creates a session for each distinct byte sequence, or fails.
 */
object SessionWindowByCollationKey extends CorrectnessFix {

  override protected def rewrite(node: LogicalPlan): LogicalPlan = node match {
    case aggregate: Aggregate
        if aggregate.groupingExpressions.exists(GroupingKeys.isSessionWindow) &&
          GroupingKeys.collatedKeys(aggregate).nonEmpty =>
      val collated = GroupingKeys.collatedKeys(aggregate)
      val keys =
        collated.map(key => key -> Alias(CollationKeyInjection(key)(CollationKey(_)), "key")())
      val replaced = GroupingKeys.replace(aggregate, collated, firstValue)
      Project(
        replaced.output,
        aggregate.copy(
          groupingExpressions = aggregate.groupingExpressions.map(key =>
            keys.collectFirst { case (`key`, alias) => alias.toAttribute }.getOrElse(key)
          ),
          aggregateExpressions = replaced.columns,
          child = Project(aggregate.child.output ++ keys.map(_._2), aggregate.child)
        )
      )
    case _ => node
  }

  private def firstValue(key: Expression): Expression =
    ArbitraryGroupValue(First(key, ignoreNulls = false).toAggregateExpression())
}
