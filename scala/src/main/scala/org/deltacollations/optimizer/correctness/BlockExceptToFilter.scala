// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.correctness

import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.plans.logical.{Except, LogicalPlan, Project}

import org.deltacollations.optimizer.speed.SortKeyExpressions

/**
 * Spark reads `SELECT c FROM t EXCEPT SELECT c FROM t WHERE hex(c) = '61'` as the rows of `t` with
 * another `hex(c)`, and keeps `A`, which is equal to what was to be taken out. It does so where both
 * sides select the same columns; veiled ones are not the same.
 */
object BlockExceptToFilter extends CorrectnessFix {

  override protected def guarded(node: LogicalPlan): LogicalPlan = node match {
    case Except(left, right, false) if right.output.exists(SortKeyExpressions.isLoose) =>
      val columns = right.output.map { column =>
        if (SortKeyExpressions.isLoose(column)) Alias(OptimizationBarrier(column), column.name)()
        else column
      }
      Except(left, Project(columns, right), isAll = false)
    case _ => node
  }
}
