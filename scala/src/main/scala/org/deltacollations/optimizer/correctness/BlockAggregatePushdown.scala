// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.correctness

import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project}

import org.deltacollations.optimizer.{ArbitraryGroupValue, GroupingKeys}

/**
 * Spark moves `HAVING hex(c) = '61'` below `GROUP BY c`, and then counts a part of the group.
 *
 * The value a group shows for its key is any of its values. Told so, Spark moves no filter;
 * [[PushCollationSafeFilters]] moves what may be moved. Without a function, as for `DISTINCT`, there is
 * nothing to be counted wrong.
 */
object BlockAggregatePushdown extends CorrectnessFix {

  override protected def rewrite(node: LogicalPlan): LogicalPlan = node match {
    case group: Aggregate
        if GroupingKeys.collatedKeys(group).nonEmpty &&
          group.aggregateExpressions.exists(_.exists(_.isInstanceOf[AggregateExpression])) =>
      val keys = GroupingKeys.collatedKeys(group)
      val shown = GroupingKeys.replaced(group, keys, ArbitraryGroupValue(_))
      Project(shown.output, group.copy(aggregateExpressions = shown.columns))
    case _ => node
  }
}
