// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.catalyst.shield

import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project}

import org.deltacollations.catalyst.GroupingKeys
import org.deltacollations.catalyst.speed.Keys

/**
 * Spark moves `HAVING hex(c) = '61'` below `GROUP BY c`, and then counts a part of the group.
 *
 * The value a group shows for its key is any of its values. Told so, Spark moves no filter;
 * [[PushThroughGroups]] moves what may be moved. Without a function, as for `DISTINCT`, there is
 * nothing to be counted wrong.
 */
object GroupGuard extends Guard {

  override protected def guarded(node: LogicalPlan): LogicalPlan = node match {
    case group: Aggregate
        if group.groupingExpressions.exists(Keys.isLoose) &&
          group.aggregateExpressions.exists(_.exists(_.isInstanceOf[AggregateExpression])) =>
      val keys = group.groupingExpressions.filter(Keys.isLoose)
      val shown = GroupingKeys.replaced(group, keys, Veiled(_, arbitrary = true))
      Project(shown.output, group.copy(aggregateExpressions = shown.columns))
    case _ => node
  }
}
