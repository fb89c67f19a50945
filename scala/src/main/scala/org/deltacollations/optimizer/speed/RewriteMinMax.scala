// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.speed

import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  AggregateFunction,
  Max,
  Min
}
import org.apache.spark.sql.catalyst.expressions.{Expression, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}

import org.deltacollations.collation.{CollatedString, SparkOrder}
import org.deltacollations.config.{BooleanConf, CollationsConf}
import org.deltacollations.expressions.{CollatedMinMax, MinOrMax}

/**
 * Replaces `MIN` and `MAX` of collated strings by [[CollatedMinMax]], which the statistics of files
 * use too.
 */
object RewriteMinMax extends SortKeyRewrite {

  override protected def setting: BooleanConf = CollationsConf.SpeedMinMax

  override protected def rewrite: PartialFunction[LogicalPlan, LogicalPlan] = {
    case aggregate: Aggregate
        if aggregate.aggregateExpressions.exists(_.exists(replaceMinMax.isDefinedAt)) =>
      aggregate.copy(aggregateExpressions =
        aggregate.aggregateExpressions.map(_.transform(replaceMinMax).asInstanceOf[NamedExpression])
      )
  }

  private val replaceMinMax: PartialFunction[Expression, Expression] = {
    case function @ AggregateExpression(CollatedFunction(collated), _, _, _, _) =>
      function.copy(aggregateFunction = collated)
  }

  /** Matches `MIN` and `MAX` of strings with a collation that is a total order. */
  private object CollatedFunction {
    def unapply(function: AggregateFunction): Option[CollatedMinMax] = function match {
      case Min(value) => of(value, MinOrMax.Min)
      case Max(value) => of(value, MinOrMax.Max)
      case _ => None
    }

    private def of(value: Expression, minOrMax: MinOrMax): Option[CollatedMinMax] =
      value.dataType match {
        case CollatedString(string) =>
          val order = SparkOrder(CollatedString.nameOf(string))
          Option.when(order.isTotalOrder)(CollatedMinMax(value, order, minOrMax, string))
        case _ => None
      }
  }
}
