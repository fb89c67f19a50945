// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.correctness

import scala.math.Ordering.Implicits._

import org.apache.spark.sql.catalyst.plans.logical.{Command, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

/**
 * Rewrites the nodes of a plan to which one wrong-result bug of Spark's optimizer applies. The output
 * of a node does not change.
 */
trait CorrectnessFix extends Rule[LogicalPlan] {

  /** The first Spark minor that does not make the mistake, if there is one. */
  def fixedIn: Option[String] = None

  /** Returns the node that takes the place of `node`, which is the same node if the bug cannot occur. */
  protected def rewrite(node: LogicalPlan): LogicalPlan

  /** Leaves commands alone, because the queries that they start are optimized by themselves. */
  final override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUpWithSubqueries {
    case node if !node.isInstanceOf[Command] => rewrite(node)
  }

  final def isNeeded(spark: String): Boolean =
    fixedIn.forall(fixed => CorrectnessFix.minor(spark) < CorrectnessFix.minor(fixed))
}

object CorrectnessFix {

  private def minor(version: String): Seq[Int] = version.split('.').take(2).map(_.toInt).toSeq
}
