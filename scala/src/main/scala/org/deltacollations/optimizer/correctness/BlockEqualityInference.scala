// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.correctness

import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  Equality,
  Expression,
  OuterReference
}
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}

import org.deltacollations.collation.CollatedTypes

/**
 * Keeps Spark from inferring `hex(b) = '61'` from `a = b` and `hex(a) = '61'`, which drops rows
 * (SPARK-57727).
 *
 * Puts an [[OptimizationBarrier]] around one side of every such equality in any node, because rules
 * move expressions into filters. Comparisons with a constant do not change: Spark infers nothing
 * from them, and Delta skips files by them.
 */
object BlockEqualityInference extends CorrectnessFix {

  override def fixedIn: Option[String] = Some("4.3")

  override protected def rewrite(node: LogicalPlan): LogicalPlan = node match {
    case join: Join => join.transformExpressions(keepColumns.orElse(addBarrier))
    case _ => node.transformExpressions(addBarrier)
  }

  /** Spark itself compares two columns of a join by their collation keys, and so infers nothing. */
  private val keepColumns: PartialFunction[Expression, Expression] = {
    case equality @ Equality(_: AttributeReference, _: AttributeReference) => equality
  }

  private val addBarrier: PartialFunction[Expression, Expression] = {
    case equality @ Equality(left, right)
        if !CollatedTypes.isBinaryStable(left.dataType) &&
          Seq(left, right).forall(side => varies(side) && !isBarrier(side)) =>
      // Inner columns must stay visible: Spark looks for those by which a subquery is correlated.
      if (isOuter(left)) equality.withNewChildren(Seq(OptimizationBarrier(left), right))
      else equality.withNewChildren(Seq(left, OptimizationBarrier(right)))
  }

  private def isBarrier(side: Expression): Boolean = side.isInstanceOf[OptimizationBarrier]

  private def isOuter(side: Expression): Boolean = side.exists(_.isInstanceOf[OuterReference])

  private def varies(side: Expression): Boolean = side.references.nonEmpty || isOuter(side)
}
