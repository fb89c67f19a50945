// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.streaming

import org.apache.spark.sql.catalyst.plans.logical
import org.apache.spark.sql.execution.streaming
import org.apache.spark.sql.execution.streaming.CheckpointFileManager

/** Names the stateful operators, whose packages changed in Spark 4.1. */
private[streaming] object StatefulOperatorsShim {

  type SessionWindowStateStoreSaveExec = streaming.SessionWindowStateStoreSaveExec
  type StateStoreSaveExec = streaming.StateStoreSaveExec
  type StatefulOperator = streaming.StatefulOperator
  type StreamingDeduplicateExec = streaming.StreamingDeduplicateExec
  type StreamingDeduplicateWithinWatermarkExec = streaming.StreamingDeduplicateWithinWatermarkExec
  type StreamingSymmetricHashJoinExec = streaming.StreamingSymmetricHashJoinExec

  type TransformWithState = logical.TransformWithStateInPandas

  val FileManager: CheckpointFileManager.type = CheckpointFileManager
}
