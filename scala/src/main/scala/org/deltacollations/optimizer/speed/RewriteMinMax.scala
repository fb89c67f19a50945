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

/** `MIN` and `MAX` compare each value with the extreme so far as the statistics of files do. */
object RewriteMinMax extends SortKeyRewrite {

  override protected def conf: BooleanConf = CollationsConf.SpeedMinMax

  override protected def rewritten: PartialFunction[LogicalPlan, LogicalPlan] = {
    case aggregate: Aggregate
        if aggregate.aggregateExpressions.exists(_.exists(faster.isDefinedAt)) =>
      aggregate.copy(aggregateExpressions =
        aggregate.aggregateExpressions.map(_.transform(faster).asInstanceOf[NamedExpression])
      )
  }

  private val faster: PartialFunction[Expression, Expression] = {
    case function @ AggregateExpression(ExtremeOf(extreme), _, _, _, _) =>
      function.copy(aggregateFunction = extreme)
  }

  private object ExtremeOf {
    def unapply(function: AggregateFunction): Option[CollatedMinMax] = function match {
      case Min(value) => of(value, MinOrMax.Min)
      case Max(value) => of(value, MinOrMax.Max)
      case _ => None
    }

    private def of(value: Expression, end: MinOrMax): Option[CollatedMinMax] =
      value.dataType match {
        case CollatedString(string) =>
          val order = SparkOrder(CollatedString.nameOf(string))
          Option.when(order.isTotalOrder)(CollatedMinMax(value, order, end, string))
        case _ => None
      }
  }
}
