// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.catalyst.speed

import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  AggregateFunction,
  Max,
  Min
}
import org.apache.spark.sql.catalyst.expressions.{Expression, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}

import org.deltacollations.catalyst.{CollatedString, SparkOrder}
import org.deltacollations.stats.{End, Extreme}
import org.deltacollations.{CollationsConf, Switch}

/** `MIN` and `MAX` compare each value with the extreme so far as the statistics of files do. */
object ComparedExtremes extends KeyedPlan {

  override protected def switch: Switch = CollationsConf.ExtremeSpeed

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
    def unapply(function: AggregateFunction): Option[Extreme] = function match {
      case Min(value) => of(value, End.Smallest)
      case Max(value) => of(value, End.Largest)
      case _ => None
    }

    private def of(value: Expression, end: End): Option[Extreme] = value.dataType match {
      case CollatedString(string) =>
        val order = SparkOrder(CollatedString.nameOf(string))
        Option.when(order.isTotal)(Extreme(value, order, end, string))
      case _ => None
    }
  }
}
