// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.correctness

import org.apache.spark.sql.catalyst.expressions.CollationKey
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Window}

import org.deltacollations.collation.CollatedTypes
import org.deltacollations.optimizer.CollationKeyInjection

/**
 * Spark moves a filter on `hex(c)` below a window `PARTITION BY c`, which takes rows out of the
 * partitions; and functions in Python get a partition for every spelling.
 *
 * Partitioned by collation keys, the window has no column that a filter could be moved for, and bytes
 * tell partitions apart. [[PushCollationSafeFilters]] moves what may be moved.
 */
object WindowByCollationKey extends CorrectnessFix {

  override protected def rewrite(node: LogicalPlan): LogicalPlan = node match {
    case window: Window 
        if !window.partitionSpec.forall(value => CollatedTypes.isBinaryStable(value.dataType)) =>
      window.copy(partitionSpec =
        window.partitionSpec.map(CollationKeyInjection(_)(CollationKey(_)))
      )
    case _ => node
  }
}
