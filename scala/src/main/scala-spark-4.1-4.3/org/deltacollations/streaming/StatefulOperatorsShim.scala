// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.streaming

import org.apache.spark.sql.catalyst.plans.logical
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager
import org.apache.spark.sql.execution.streaming.operators.stateful
import org.apache.spark.sql.execution.streaming.operators.stateful.join

/** Names the stateful operators, whose packages changed in Spark 4.1. */
private[streaming] object StatefulOperatorsShim {

  type SessionWindowStateStoreSaveExec = stateful.SessionWindowStateStoreSaveExec
  type StateStoreSaveExec = stateful.StateStoreSaveExec
  type StatefulOperator = stateful.StatefulOperator
  type StreamingDeduplicateExec = stateful.StreamingDeduplicateExec
  type StreamingDeduplicateWithinWatermarkExec = stateful.StreamingDeduplicateWithinWatermarkExec
  type StreamingSymmetricHashJoinExec = join.StreamingSymmetricHashJoinExec

  type TransformWithState = logical.TransformWithStateInPySpark

  val FileManager: CheckpointFileManager.type = CheckpointFileManager
}
