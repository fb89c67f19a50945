// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.speed

import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, LogicalPlan, Offset, Project, Sort}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag

import org.deltacollations.config.{BooleanConf, CollationsConf}

/** Makes `ORDER BY` sort collated values by their sort keys. */
object RewriteSort extends SortKeyRewrite {

  override protected def setting: BooleanConf = CollationsConf.SpeedSort

  override def apply(plan: LogicalPlan): LogicalPlan = {
    markTopK(plan)
    super.apply(plan)
  }

  override protected def rewrite: PartialFunction[LogicalPlan, LogicalPlan] = {
    case sort: Sort
        if sort.order.exists(order => SortKeyExpressions.isReplaceable(order.child)) &&
          sort.getTagValue(TopK).isEmpty =>
      SortKeyProjection.of(sort.order.map(_.child)).fold[LogicalPlan](sort) { keys =>
        val sorted = sort.copy(order = sort.order.map(keys(_)), child = keys.below(sort.child))
        Project(sort.child.output, sorted)
      }
  }

  /**
   * Tags sorts below a limit. For these Spark compares most rows only once, with the last of the
   * top rows so far, so computing a key for every row would cost more than it saves.
   */
  private def markTopK(plan: LogicalPlan): Unit = plan.foreach {
    case LocalLimit(_, LimitedSort(sort)) => sort.setTagValue(TopK, ())
    case _ =>
  }

  private val TopK = TreeNodeTag[Unit]("deltaCollations.topK")

  /** Matches the sort below a limit, through projections and offsets. */
  private object LimitedSort {
    def unapply(plan: LogicalPlan): Option[Sort] = plan match {
      case sort: Sort => Some(sort)
      case Project(_, child) => unapply(child)
      case Offset(_, child) => unapply(child)
      case _ => None
    }
  }
}
