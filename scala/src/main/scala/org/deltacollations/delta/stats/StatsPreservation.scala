// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats

import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.{OptimisticTransaction, Snapshot}
import org.apache.spark.sql.functions.col

import org.deltacollations.delta.feature.FeatureRegistry
import org.deltacollations.delta.util.AddFileCopy
import org.deltacollations.patch.{Hook, HookKind}
import org.deltacollations.protocol.StatsJson

/**
 * Keeps collated statistics when Delta rewrites the statistics of a file. Delta writes only the fields
 * that it knows, so the other fields are looked up in the log and added again.
 */
private[delta] object StatsPreservation {

  /** A deletion vector only removes rows from a file, so all bounds still hold. */
  val deletionVectors: Hook = Hook(
    name = "deletion-vector-stats",
    className = "org.apache.spark.sql.delta.commands.DMLWithDeletionVectorsHelper$",
    method = "getActionsWithStats",
    signatures = Seq(
      "(sql.SparkSession, immutable.Seq, sql.delta.Snapshot, int): immutable.Seq",
      "(sql.SparkSession, immutable.Seq, sql.delta.Snapshot): immutable.Seq"
    ),
    kind = HookKind.ReplaceResult,
    degradation = "files lose their collated statistics with their first deletion vector",
    replace = call => {
      val snapshot = call.arguments(2).asInstanceOf[Snapshot]
      preserved(call.value.asInstanceOf[Seq[AddFile]], snapshot)(StatsJson.withMissingBounds)
    }
  )

  /**
   * The recomputed statistics replace those of this session, also where Delta found no bounds. Entries
   * of other writers are preserved, because Delta has not recomputed them.
   */
  val recomputed: Hook = Hook(
    name = "recomputed-stats",
    className = "org.apache.spark.sql.delta.stats.StatisticsCollection$",
    method = "computeNewAddFiles",
    signatures = Seq(
      "(sql.delta.DeltaLog, sql.delta.OptimisticTransaction, " +
        "immutable.Seq): sql.delta.actions.AddFile[]"
    ),
    kind = HookKind.ReplaceResult,
    degradation = "recomputing statistics drops those of other ICU versions",
    replace = call => {
      val snapshot = call.arguments(1).asInstanceOf[OptimisticTransaction].snapshot
      val own = StatsCollector.columns(snapshot).map(_.id.toString).toSet
      preserved(call.value.asInstanceOf[Array[AddFile]].toSeq, snapshot)(
        StatsJson.withKeysOfOtherWriters(_, _, own)
      ).toArray
    }
  )

  private def preserved(files: Seq[AddFile], snapshot: Snapshot)(
      merge: (String, String) => String
  ): Seq[AddFile] =
    if (files.isEmpty || !FeatureRegistry.isSupported(snapshot.protocol)) files
    else {
      val oldStats = snapshot.allFiles.where(col("path").isin(files.map(_.path): _*))
        .select("path", "stats").collect()
        .map(row => row.getString(0) -> row.getString(1)).toMap
      files.map { file =>
        AddFileCopy(file, "stats" -> merge(file.stats, oldStats.getOrElse(file.path, null)))
      }
    }
}
