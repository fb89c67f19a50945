// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.correctness

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

import org.deltacollations.config.CollationsConf
import org.deltacollations.fallback.PlanFallback

/**
 * Works around known wrong-result bugs of Spark's optimizer in queries on collated strings. Spark
 * treats equal strings as interchangeable, but collated strings can be equal and not
 * byte-identical.
 *
 * Runs once per query, after analysis and before the first rule of the optimizer.
 */
object CollationCorrectness extends Rule[LogicalPlan] {

  /** All fixes in the order in which they run. */
  val fixes: Seq[CorrectnessFix] =
    Seq(
      BlockEqualityInference,
      WindowByCollationKey,
      BlockExceptToFilter,
      SessionWindowByCollationKey,
      BlockAggregatePushdown,
      // Last: it can put a projection above a node, and other fixes would not look below it.
      BinaryOuterReferences
    )

  private val needed = fixes.filter(_.isNeeded(SPARK_VERSION)).map(PlanFallback.forRule)

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (CollationsConf.CorrectnessEnabled.isEnabled)
      needed.foldLeft(plan)((fixed, fix) => fix(fixed))
    else plan
}
