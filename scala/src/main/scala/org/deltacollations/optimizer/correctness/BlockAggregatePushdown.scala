// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.correctness

import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project}

import org.deltacollations.optimizer.{ArbitraryGroupValue, GroupingKeys}

/**
 * Keeps Spark from pushing a filter like `HAVING hex(c) = '61'` below `GROUP BY c`, where it would
 * remove a part of a group before Spark computes the aggregate functions.
 *
 * Wraps the keys in the result of the aggregate into [[ArbitraryGroupValue]], for which Spark
 * pushes no filter down; [[PushCollationSafeFilters]] pushes those that are safe. Without aggregate
 * functions, as for `DISTINCT`, a pushed filter cannot change the result of a function.
 */
object BlockAggregatePushdown extends CorrectnessFix {

  override protected def rewrite(node: LogicalPlan): LogicalPlan = node match {
    case aggregate: Aggregate
        if GroupingKeys.collatedKeys(aggregate).nonEmpty &&
          aggregate.aggregateExpressions.exists(_.exists(_.isInstanceOf[AggregateExpression])) =>
      val keys = GroupingKeys.collatedKeys(aggregate)
      val replaced = GroupingKeys.replace(aggregate, keys, ArbitraryGroupValue(_))
      Project(replaced.output, aggregate.copy(aggregateExpressions = replaced.columns))
    case _ => node
  }
}
