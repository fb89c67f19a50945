// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.delta.stats.DataSkippingReaderBase
import org.apache.spark.sql.delta.{DataFrameUtils, Snapshot}

import com.google.common.collect.MapMaker
import org.deltacollations.delta.feature.FeatureRegistry
import org.deltacollations.delta.stats.StatsCollector
import org.deltacollations.patch.{Hook, HookKind}

/**
 * Adds a column with the bounds of strings to the parsed statistics that Delta caches per snapshot.
 *
 * It is a column of its own and not part of Delta's statistics schema: Delta compares everything in
 * that schema in binary order, and passes it to collectors that know only Delta's own statistics.
 */
private[delta] object BoundsColumn {

  val Column: String = "deltaCollationsBounds"

  val hook: Hook = Hook(
    name = "skipping-bounds-column",
    className = "org.apache.spark.sql.delta.stats.DataSkippingReaderBase",
    method = "withStatsInternal0",
    signatures = Seq("(): sql.Dataset"),
    kind = HookKind.ReplaceResult,
    degradation = "files are not skipped by filters on collated columns",
    requires = Set("skipping-data-filters", "skipping-file-filter"),
    replace = call => {
      val files = call.value.asInstanceOf[DataFrame]
      val snapshot = call.receiver.asInstanceOf[Snapshot]
      val added =
        if (FeatureRegistry.isSupported(snapshot.protocol))
          withBounds(files, StatsCollector.stringColumns(snapshot))
        else None
      added.foreach(_ => extended.put(call.receiver, true))
      added.getOrElse(files)
    }
  )

  /**
   * The snapshots with a bounds column, for as long as Delta keeps them. Keys compare by identity.
   * Asking the DataFrame of a snapshot for its columns instead would take as long as a query.
   */
  private val extended = new MapMaker().weakKeys().makeMap[AnyRef, Boolean]()

  /** Returns whether the snapshot has a bounds column. Loads its statistics if necessary. */
  def exists(files: DataSkippingReaderBase): Boolean = {
    if (!extended.containsKey(files)) files.withStats: Unit
    extended.containsKey(files)
  }

  /** Delta's plan replaces the JSON statistics by the parsed ones, so the JSON is in its child. */
  private def withBounds(files: DataFrame, columns: Seq[Seq[String]]): Option[DataFrame] =
    files.queryExecution.analyzed match {
      case parsed @ Project(outputs, log) =>
        log.output.find(_.name == "stats").map { json =>
          val bounds = Alias(ReadBounds(json, columns), Column)()
          DataFrameUtils.ofRows(files.sparkSession, parsed.copy(projectList = outputs :+ bounds))
        }
      case _ => None
    }
}
