// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.speed

import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, LogicalPlan, Offset, Project, Sort}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag

import org.deltacollations.config.{BooleanConf, CollationsConf}

/** `ORDER BY` a collated value sorts by its key. */
object RewriteSort extends SortKeyRewrite {

  override protected def conf: BooleanConf = CollationsConf.SpeedSort

  override def apply(plan: LogicalPlan): LogicalPlan = {
    markTopK(plan)
    super.apply(plan)
  }

  override protected def rewritten: PartialFunction[LogicalPlan, LogicalPlan] = {
    case sort: Sort
        if sort.order.exists(order => SortKeyExpressions.isReplaceable(order.child)) &&
          sort.getTagValue(OfFirstRows).isEmpty =>
      SortKeyProjection.of(sort.order.map(_.child)).fold[LogicalPlan](sort) { keys =>
        val sorted = sort.copy(order = sort.order.map(keys(_)), child = keys.below(sort.child))
        Project(sort.child.output, sorted)
      }
  }

  /**
   * Marks sorts of which only the first rows are taken. For them Spark compares most rows once, with
   * the last one kept so far, and a key for every row would cost more.
   */
  private def markTopK(plan: LogicalPlan): Unit = plan.foreach {
    case LocalLimit(_, FirstRows(sort)) => sort.setTagValue(OfFirstRows, ())
    case _ =>
  }

  private val OfFirstRows = TreeNodeTag[Unit]("deltaCollations.firstRows")

  private object FirstRows {
    def unapply(plan: LogicalPlan): Option[Sort] = plan match {
      case sort: Sort => Some(sort)
      case Project(_, child) => unapply(child)
      case Offset(_, child) => unapply(child)
      case _ => None
    }
  }
}
