// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.correctness

import org.apache.spark.sql.catalyst.expressions.{Expression, TaggingExpression}

/**
 * Returns the value of `child` but hides its attributes, so that the optimizer cannot infer
 * constraints from it.
 *
 * Rules that substitute one side of `a = b` for the other only match attributes, and this is not
 * one.
 */
final case class OptimizationBarrier(child: Expression) extends TaggingExpression {

  override def prettyName: String = "optimization_barrier"

  override def nullIntolerant: Boolean = true

  override protected def withNewChildInternal(newChild: Expression): OptimizationBarrier =
    copy(child = newChild)
}
