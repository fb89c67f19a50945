// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats

import org.apache.spark.sql.types.{DataType, StringType}

import org.deltacollations.collation.CollatedString
import org.deltacollations.patch.{Hook, HookKind}

/**
 * Allows collated columns in `delta.dataSkippingStatsColumns`. The hooked method only checks whether a
 * type can have statistics; [[StatsCollector]] decides which statistics are collected.
 */
private[delta] object StatsColumnCheck {

  val hook: Hook = Hook(
    name = "stats-columns",
    className = "org.apache.spark.sql.delta.stats.StatisticsCollection$",
    method = "validateDataSkippingType",
    signatures = Seq(
      "(java.lang.String, sql.types.DataType, scala.collection.mutable.ArrayBuffer, " +
        "boolean): void"
    ),
    kind = HookKind.ReplaceArgument(1),
    degradation = "delta.dataSkippingStatsColumns cannot name a collated column",
    replace = call =>
      call.arguments(1).asInstanceOf[DataType] match {
        case CollatedString(_) => StringType
        case other => other
      }
  )
}
