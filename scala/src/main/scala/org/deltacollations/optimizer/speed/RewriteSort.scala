// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.speed

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, Sort}

import org.deltacollations.config.{BooleanConf, CollationsConf}

/** Makes `ORDER BY` sort collated values by their sort keys. */
object RewriteSort extends SortKeyRewrite {

  override protected def setting: BooleanConf = CollationsConf.SpeedSort

  override protected def rewrite: PartialFunction[LogicalPlan, LogicalPlan] = {
    case sort: Sort
        if sort.order.exists(order => SortKeyExpressions.isReplaceable(order.child)) =>
      SortKeyProjection.of(sort.order.map(_.child)).fold[LogicalPlan](sort) { keys =>
        val sorted = sort.copy(order = sort.order.map(keys(_)), child = keys.below(sort.child))
        Project(sort.child.output, sorted)
      }
  }
}
