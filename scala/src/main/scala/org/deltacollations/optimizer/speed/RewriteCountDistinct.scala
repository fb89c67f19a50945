// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.speed

import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Count}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}

import org.deltacollations.config.{BooleanConf, CollationsConf}

/**
 * Makes `COUNT(DISTINCT name)` count distinct sort keys. There are as many as distinct values, and
 * the result contains no value.
 */
object RewriteCountDistinct extends SortKeyRewrite {

  override protected def setting: BooleanConf = CollationsConf.SpeedGroup

  override protected def rewrite: PartialFunction[LogicalPlan, LogicalPlan] = {
    case aggregate: Aggregate if aggregate.aggregateExpressions.exists(_.exists(isCollated)) =>
      aggregate.copy(aggregateExpressions = aggregate.aggregateExpressions.map {
        _.transform {
          case function @ AggregateExpression(count: Count, _, true, _, _)
              if isCollated(function) =>
            val keys = count.children.map(value =>
              if (SortKeyExpressions.isReplaceable(value))
                SortKeyExpressions.of(value).getOrElse(value)
              else value
            )
            function.copy(aggregateFunction = Count(keys))
        }.asInstanceOf[NamedExpression]
      })
  }

  private def isCollated(function: Any): Boolean = function match {
    case AggregateExpression(count: Count, _, true, _, _) =>
      count.children.exists(SortKeyExpressions.isReplaceable)
    case _ => false
  }
}
