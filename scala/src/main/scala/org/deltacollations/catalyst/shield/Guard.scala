// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.catalyst.shield

import scala.math.Ordering.Implicits._

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/**
 * Rewrites a node so that one mistake of Spark's cannot happen to it, and returns every other node as
 * it is. The output of a node stays what it was.
 */
trait Guard {

  /** The first Spark minor that does not make the mistake, if there is one. */
  def fixedIn: Option[String] = None

  def apply(node: LogicalPlan): LogicalPlan

  final def isNeeded(spark: String): Boolean =
    fixedIn.forall(fixed => Guard.minor(spark) < Guard.minor(fixed))
}

object Guard {

  private def minor(version: String): Seq[Int] = version.split('.').take(2).map(_.toInt).toSeq
}
