// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.correctness

import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.plans.logical.{Except, LogicalPlan, Project}

import org.deltacollations.collation.CollatedTypes

/**
 * Spark reads `SELECT c FROM t EXCEPT SELECT c FROM t WHERE hex(c) = '61'` as the rows of `t` with
 * another `hex(c)`, and keeps `A`, which is equal to what was to be taken out. It does so where both
 * sides select the same columns; veiled ones are not the same.
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
