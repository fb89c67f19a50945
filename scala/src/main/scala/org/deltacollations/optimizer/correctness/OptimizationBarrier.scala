// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.correctness

import org.apache.spark.sql.catalyst.expressions.{Expression, TaggingExpression}

/**
 * The value of `child`, and nothing that tells a rule where it comes from.
 *
 * Rules that read `a = b` as "one may stand for the other" look for columns, and find none here.
 */
final case class OptimizationBarrier(child: Expression) extends TaggingExpression {

  override def prettyName: String = "optimization_barrier"

  override def nullIntolerant: Boolean = true

  override protected def withNewChildInternal(newChild: Expression): OptimizationBarrier =
    copy(child = newChild)
}
