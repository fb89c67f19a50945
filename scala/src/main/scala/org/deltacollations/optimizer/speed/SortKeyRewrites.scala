// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.speed

import org.apache.spark.sql.catalyst.plans.logical.{Command, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

import org.deltacollations.config.{BooleanConf, CollationsConf}
import org.deltacollations.fallback.PlanFallback

/**
 * Rewrites nodes of one kind so that Spark compares sort keys. A rewritten node does not match
 * again.
 *
 * Streaming queries are left to `streaming.StatefulKeys`, because the version of keys in their state must
 * be known.
 */
trait SortKeyRewrite extends Rule[LogicalPlan] {

  /** The setting that disables this rewrite. */
  protected def setting: BooleanConf

  protected def rewrite: PartialFunction[LogicalPlan, LogicalPlan]

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!CollationsConf.SpeedEnabled.isEnabled || !setting.isEnabled) plan
    else
      plan.transformUp {
        case node if !node.isStreaming && !node.isInstanceOf[Command] =>
          rewrite.applyOrElse(node, identity[LogicalPlan])
      }
}

/**
 * Makes Spark sort, join and partition by sort keys, which are binary columns that are computed
 * once per row. Spark's own comparison decodes both strings every time, and cannot use sort
 * prefixes or codegen.
 *
 * Runs before cost-based optimization, when Spark has finished moving and merging nodes.
 */
object SortKeyRewrites extends Rule[LogicalPlan] {

  private val rules: Seq[Rule[LogicalPlan]] =
    Seq(
      RewriteTopK,
      RewriteSort,
      RewriteWindow,
      RewriteJoin,
      RewriteCountDistinct,
      RewriteMinMax
    ).map(PlanFallback.forRule)

  override def apply(plan: LogicalPlan): LogicalPlan =
    rules.foldLeft(plan)((rewritten, rule) => rule(rewritten))
}
