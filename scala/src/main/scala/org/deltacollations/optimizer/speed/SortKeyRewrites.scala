// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.speed

import org.apache.spark.sql.catalyst.plans.logical.{Command, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

import org.deltacollations.config.{BooleanConf, CollationsConf}
import org.deltacollations.fallback.PlanFallback

/**
 * Rewrites the nodes of one kind so that Spark compares sort keys. A node that has been rewritten is
 * not rewritten again.
 *
 * Streams keep Spark's plan: the state of a stream must not depend on the ICU version.
 */
trait SortKeyRewrite extends Rule[LogicalPlan] {

  protected def conf: BooleanConf

  protected def rewritten: PartialFunction[LogicalPlan, LogicalPlan]

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!CollationsConf.SpeedEnabled.isEnabled || !conf.isEnabled) plan
    else
      plan.transformUp {
        case node if !node.isStreaming && !node.isInstanceOf[Command] =>
          rewritten.applyOrElse(node, identity[LogicalPlan])
      }
}

/**
 * Makes Spark sort, join and partition by sort keys: binary columns that are computed once per row.
 * Spark's own comparison decodes both strings every time, and cannot use prefixes or codegen.
 *
 * It runs before cost-based optimization, when Spark has finished moving and merging nodes.
 */
object SortKeyRewrites extends Rule[LogicalPlan] {

  private val all: Seq[Rule[LogicalPlan]] =
    Seq(
      RewriteSort,
      RewriteWindow,
      RewriteJoin,
      RewriteCountDistinct,
      RewriteMinMax
    ).map(PlanFallback.forRule)

  override def apply(plan: LogicalPlan): LogicalPlan =
    all.foldLeft(plan)((rewritten, rule) => rule(rewritten))
}
