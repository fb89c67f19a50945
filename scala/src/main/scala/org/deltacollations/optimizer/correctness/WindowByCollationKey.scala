// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.correctness

import org.apache.spark.sql.catalyst.expressions.CollationKey
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Window}

import org.deltacollations.collation.CollatedTypes
import org.deltacollations.optimizer.CollationKeyInjection

/**
 * Partitions windows by collation keys, because of two bugs with `PARTITION BY c`: Spark pushes a
 * filter on `hex(c)` below the window, which removes rows from the partitions; and Python functions
 * get a partition for each distinct byte sequence.
 *
 * Different collation keys have different bytes. And Spark pushes a filter down only if all its
 * columns are in the partition specification, which has no columns then.
 * [[PushCollationSafeFilters]] pushes the filters that are safe.
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
