// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.catalyst.shield

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Window}

import org.deltacollations.catalyst.InjectedKeys
import org.deltacollations.catalyst.speed.Keys

/**
 * Spark moves a filter on `hex(c)` below a window `PARTITION BY c`, which takes rows out of the
 * partitions; and functions in Python get a partition for every spelling.
 *
 * Partitioned by collation keys, the window has no column that a filter could be moved for, and bytes
 * tell partitions apart. [[PushThroughGroups]] moves what may be moved.
 */
object WindowGuard extends Guard {

  override protected def guarded(node: LogicalPlan): LogicalPlan = node match {
    case window: Window if window.partitionSpec.exists(Keys.isLoose) =>
      window.copy(partitionSpec = window.partitionSpec.map(InjectedKeys.in))
    case _ => node
  }
}
