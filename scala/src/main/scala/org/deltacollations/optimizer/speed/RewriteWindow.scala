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

/** Windows are partitioned and ordered by keys. */
object RewriteWindow extends SortKeyRewrite {

  override protected def conf: BooleanConf = CollationsConf.SpeedWindow

  override protected def rewritten: PartialFunction[LogicalPlan, LogicalPlan] = {
    case window: Window if compared(window).exists(SortKeyExpressions.isReplaceable) =>
      SortKeyProjection.of(compared(window)).fold[LogicalPlan](window)(keyed(window, _))
  }

  /** The correctness rules partition by Spark's collation keys. */
  private def compared(window: Window): Seq[Expression] =
    partitions(window) ++ window.orderSpec.map(_.child)

  private def partitions(window: Window): Seq[Expression] = window.partitionSpec.map {
    case CollationKey(value) => value
    case value => value
  }

  private def keyed(window: Window, keys: SortKeyProjection): LogicalPlan =
    Project(
      window.output,
      window.copy(
        windowExpressions = window.windowExpressions.map(function(_, keys)),
        partitionSpec = partitions(window).map(keys(_)),
        orderSpec = window.orderSpec.map(keys(_)),
        child = keys.below(window.child)
      )
    )

  /** Ranks are told apart by what the window is ordered by. */
  private def function(column: NamedExpression, keys: SortKeyProjection): NamedExpression =
    column.transform { case WindowExpression(function, spec) =>
      val ranked = function match {
        case rank: RankLike => rank.withOrder(rank.children.map(keys(_)))
        case other => other
      }
      WindowExpression(
        ranked,
        spec.copy(
          partitionSpec = spec.partitionSpec.map(keys(_)),
          orderSpec = spec.orderSpec.map(keys(_))
        )
      )
    }.asInstanceOf[NamedExpression]
}
