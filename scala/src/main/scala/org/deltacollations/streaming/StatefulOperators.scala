// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.streaming

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{FlatMapGroupsInPandasWithState, LogicalPlan}
import org.apache.spark.sql.execution.SparkPlan

import org.deltacollations.streaming.StatefulOperatorsShim._

/** Finds stateful operators, their keys, and the place of their state. */
private[streaming] object StatefulOperators {

  /** The place of an operator's state. `committedBatches` is 0 before the first batch is committed. */
  final case class State(checkpoint: String, run: String, operator: Long, committedBatches: Long)

  /** Returns the state and the key expressions of a planned stateful operator that has keys. */
  def keysOf(plan: SparkPlan): Option[(State, Seq[Expression])] = plan match {
    case save: StateStoreSaveExec => withState(save, save.keyExpressions)
    case save: SessionWindowStateStoreSaveExec => withState(save, save.keyExpressions)
    case deduplicate: StreamingDeduplicateExec =>
      withState(deduplicate, deduplicate.keyExpressions)
    case deduplicate: StreamingDeduplicateWithinWatermarkExec =>
      withState(deduplicate, deduplicate.keyExpressions)
    case join: StreamingSymmetricHashJoinExec => withState(join, join.leftKeys ++ join.rightKeys)
    case _ => None
  }

  private def withState(
      operator: StatefulOperator,
      keys: Seq[Expression]
  ): Option[(State, Seq[Expression])] = operator.stateInfo.map { info =>
    val run = info.queryRunId.toString
    State(info.checkpointLocation, run, info.operatorId, info.storeVersion) -> keys
  }

  /** Returns the grouping columns of a function of the user that keeps state for each group. */
  def groupsOf(plan: LogicalPlan): Seq[Attribute] = plan match {
    case function: FlatMapGroupsInPandasWithState => function.groupingAttributes
    case function: TransformWithState =>
      function.child.output.take(function.groupingAttributesLen)
    case _ => Nil
  }
}
