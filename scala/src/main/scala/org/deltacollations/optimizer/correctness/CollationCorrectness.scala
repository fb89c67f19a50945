// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.correctness

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

import org.deltacollations.config.CollationsConf
import org.deltacollations.fallback.PlanFallback

/**
 * Keeps the known wrong answers of Spark's optimizer away from collated strings, which can be equal
 * and yet not the same.
 *
 * It runs once for a query, after it is analyzed and before the first rule of the optimizer.
 */
object CollationCorrectness extends Rule[LogicalPlan] {

  /** The last one puts nodes above the one it is given, which others would not look below. */
  val fixes: Seq[CorrectnessFix] =
    Seq(
      BlockEqualityInference,
      WindowByCollationKey,
      BlockExceptToFilter,
      SessionWindowByCollationKey,
      BlockAggregatePushdown,
      BinaryOuterReferences
    )

  private val needed = fixes.filter(_.isNeeded(SPARK_VERSION)).map(PlanFallback.forRule)

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (CollationsConf.CorrectnessEnabled.isEnabled) needed.foldLeft(plan)((fixed, fix) => fix(fixed))
    else plan
}
