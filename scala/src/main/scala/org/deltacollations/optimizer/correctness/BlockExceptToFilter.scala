// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.correctness

import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.plans.logical.{Except, LogicalPlan, Project}

import org.deltacollations.collation.CollatedTypes

/**
 * Keeps Spark from replacing `SELECT c FROM t EXCEPT SELECT c FROM t WHERE hex(c) = '61'` by a
 * filter on `hex(c)` (`ReplaceExceptWithFilter`). Such a filter keeps `A`, although `EXCEPT` must
 * remove it because it equals `a`.
 *
 * Spark's rule requires that both sides select the same columns. With an [[OptimizationBarrier]]
 * around the columns of one side they differ.
 */
object BlockExceptToFilter extends CorrectnessFix {

  override protected def rewrite(node: LogicalPlan): LogicalPlan = node match {
    case Except(left, right, false)
        if !right.output.forall(column => CollatedTypes.isBinaryStable(column.dataType)) =>
      val columns = right.output.map { column =>
        if (CollatedTypes.isBinaryStable(column.dataType)) column
        else Alias(OptimizationBarrier(column), column.name)()
      }
      Except(left, Project(columns, right), isAll = false)
    case _ => node
  }
}
