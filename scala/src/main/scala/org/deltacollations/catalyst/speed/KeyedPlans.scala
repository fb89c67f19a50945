// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.catalyst.speed

import org.apache.spark.sql.catalyst.plans.logical.{Command, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

import org.deltacollations.{CollationsConf, Switch}

/** Rewrites a node so that Spark compares keys, and leaves every other node as it is. */
trait KeyedPlan {

  protected def switch: Switch

  def isOn: Boolean = CollationsConf.SpeedEnabled.isOn && switch.isOn

  def rewritten: PartialFunction[LogicalPlan, LogicalPlan]
}

/**
 * Has Spark sort, join and partition by collation keys: plain columns that are computed once for a
 * row. Its own comparison decodes both strings, every time, and cannot use prefixes or codegen.
 *
 * It runs when Spark has done with moving and merging nodes. Streams are left alone: what they keep
 * between batches must not depend on the version of ICU.
 */
object KeyedPlans extends Rule[LogicalPlan] {

  private val all: Seq[KeyedPlan] =
    Seq(KeyedSort, KeyedWindow, KeyedJoin, CountedKeys, ComparedExtremes)

  override def apply(plan: LogicalPlan): LogicalPlan = {
    val wanted = all.filter(_.isOn)
    if (wanted.isEmpty) plan
    else {
      KeyedSort.markFirstRows(plan)
      plan.transformUp {
        case node if !node.isStreaming && !node.isInstanceOf[Command] =>
          wanted.foldLeft(node)((done, each) =>
            each.rewritten.applyOrElse(done, identity[LogicalPlan])
          )
      }
    }
  }
}
