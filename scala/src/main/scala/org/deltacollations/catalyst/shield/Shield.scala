// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.catalyst.shield

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

import org.deltacollations.CollationsConf
import org.deltacollations.catalyst.PlanFallback

/**
 * Keeps the known wrong answers of Spark's optimizer away from collated strings, which can be equal
 * and yet not the same.
 *
 * It runs once for a query, after it is analyzed and before the first rule of the optimizer.
 */
object Shield extends Rule[LogicalPlan] {

  /** The last one puts nodes above the one it is given, which others would not look below. */
  val guards: Seq[Guard] =
    Seq(EqualityGuard, WindowGuard, ExceptGuard, SessionGuard, GroupGuard, CorrelationGuard)

  private val needed = guards.filter(_.isNeeded(SPARK_VERSION)).map(PlanFallback.forRule)

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (CollationsConf.ShieldEnabled.isOn) needed.foldLeft(plan)((guarded, guard) => guard(guarded))
    else plan
}
