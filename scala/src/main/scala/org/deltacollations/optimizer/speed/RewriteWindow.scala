// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.speed

import org.apache.spark.sql.catalyst.expressions.{
  CollationKey,
  Expression,
  NamedExpression,
  RankLike,
  WindowExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, Window}

import org.deltacollations.config.{BooleanConf, CollationsConf}

/** Makes windows partition and order rows by sort keys. */
object RewriteWindow extends SortKeyRewrite {

  override protected def setting: BooleanConf = CollationsConf.SpeedWindow

  override protected def rewrite: PartialFunction[LogicalPlan, LogicalPlan] = {
    case window: Window if comparedValues(window).exists(SortKeyExpressions.isReplaceable) =>
      SortKeyProjection.of(comparedValues(window)).fold[LogicalPlan](window)(bySortKeys(window, _))
  }

  private def comparedValues(window: Window): Seq[Expression] =
    partitionValues(window) ++ window.orderSpec.map(_.child)

  /** Removes Spark's collation keys, by which the correctness rules partition. */
  private def partitionValues(window: Window): Seq[Expression] = window.partitionSpec.map {
    case CollationKey(value) => value
    case value => value
  }

  private def bySortKeys(window: Window, keys: SortKeyProjection): LogicalPlan =
    Project(
      window.output,
      window.copy(
        windowExpressions = window.windowExpressions.map(rewriteFunction(_, keys)),
        partitionSpec = partitionValues(window).map(keys(_)),
        orderSpec = window.orderSpec.map(keys(_)),
        child = keys.below(window.child)
      )
    )

  /** Rewrites a window function. The children of rank functions are the order of the window. */
  private def rewriteFunction(column: NamedExpression, keys: SortKeyProjection): NamedExpression =
    column.transform { case WindowExpression(function, spec) =>
      val rewritten = function match {
        case rank: RankLike => rank.withOrder(rank.children.map(keys(_)))
        case other => other
      }
      WindowExpression(
        rewritten,
        spec.copy(
          partitionSpec = spec.partitionSpec.map(keys(_)),
          orderSpec = spec.orderSpec.map(keys(_))
        )
      )
    }.asInstanceOf[NamedExpression]
}
