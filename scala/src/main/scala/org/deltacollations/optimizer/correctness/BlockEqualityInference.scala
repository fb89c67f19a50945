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
 * From `a = b` and `hex(a) = '61'` Spark infers `hex(b) = '61'`, which drops rows (SPARK-57727).
 *
 * One side of every such equality is veiled, wherever it stands, because rules move expressions into
 * filters. Comparisons with a constant stay as they are: nothing is inferred from them, and files are
 * skipped by them.
 */
object BlockEqualityInference extends CorrectnessFix {

  override def fixedIn: Option[String] = Some("4.3")

  override protected def rewrite(node: LogicalPlan): LogicalPlan = node match {
    case join: Join => join.transformExpressions(byKeys.orElse(veiled))
    case _ => node.transformExpressions(veiled)
  }

  /** Spark itself compares two columns of a join by their collation keys, and infers nothing. */
  private val byKeys: PartialFunction[Expression, Expression] = {
    case equality @ Equality(_: AttributeReference, _: AttributeReference) => equality
  }

  private val veiled: PartialFunction[Expression, Expression] = {
    case equality @ Equality(left, right)
        if !CollatedTypes.isBinaryStable(left.dataType) &&
          Seq(left, right).forall(side => varies(side) && !isVeiled(side)) =>
      // An inner column must stay visible, for Spark to find what a subquery is correlated by.
      if (isOuter(left)) equality.withNewChildren(Seq(OptimizationBarrier(left), right))
      else equality.withNewChildren(Seq(left, OptimizationBarrier(right)))
  }

  private def isVeiled(side: Expression): Boolean = side.isInstanceOf[OptimizationBarrier]

  private def isOuter(side: Expression): Boolean = side.exists(_.isInstanceOf[OuterReference])

  private def varies(side: Expression): Boolean = side.references.nonEmpty || isOuter(side)
}
