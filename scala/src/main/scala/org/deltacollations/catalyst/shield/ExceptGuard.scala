// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.catalyst.shield

import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.plans.logical.{Except, LogicalPlan, Project}

import org.deltacollations.catalyst.speed.Keys

/**
 * Spark reads `SELECT c FROM t EXCEPT SELECT c FROM t WHERE hex(c) = '61'` as the rows of `t` with
 * another `hex(c)`, and keeps `A`, which is equal to what was to be taken out. It does so where both
 * sides select the same columns; veiled ones are not the same.
 */
object ExceptGuard extends Guard {

  override protected def guarded(node: LogicalPlan): LogicalPlan = node match {
    case Except(left, right, false) if right.output.exists(Keys.isLoose) =>
      val columns = right.output.map { column =>
        if (Keys.isLoose(column)) Alias(Veiled(column), column.name)() else column
      }
      Except(left, Project(columns, right), isAll = false)
    case _ => node
  }
}
