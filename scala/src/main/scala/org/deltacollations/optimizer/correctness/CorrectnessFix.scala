// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.correctness

import scala.math.Ordering.Implicits._

import org.apache.spark.sql.catalyst.plans.logical.{Command, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

/**
 * Rewrites the nodes of a plan that one wrong-result bug of Spark's optimizer can affect. The
 * output of a node does not change.
 */
trait CorrectnessFix extends Rule[LogicalPlan] {

  /** The first Spark minor version without the bug, if there is one. */
  def fixedIn: Option[String] = None

  /** Rewrites a node, or returns it unchanged if the bug cannot affect it. */
  protected def rewrite(node: LogicalPlan): LogicalPlan

  /** Skips commands, because Spark optimizes the queries that they start separately. */
  final override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUpWithSubqueries {
    case node if !node.isInstanceOf[Command] => rewrite(node)
  }

  final def isNeeded(sparkVersion: String): Boolean =
    fixedIn.forall(fixed => CorrectnessFix.minor(sparkVersion) < CorrectnessFix.minor(fixed))
}

object CorrectnessFix {

  private def minor(version: String): Seq[Int] = version.split('.').take(2).map(_.toInt).toSeq
}
