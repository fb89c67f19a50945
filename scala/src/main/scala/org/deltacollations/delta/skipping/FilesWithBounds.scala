// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import java.lang.ref.WeakReference

import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.delta.stats.DataSkippingReaderBase
import org.apache.spark.sql.delta.util.DatasetRefCache
import org.apache.spark.sql.delta.{DataFrameUtils, Snapshot}
import org.apache.spark.sql.execution.LogicalRDD
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.{Column, DataFrame, Row}

import com.google.common.collect.MapMaker
import org.deltacollations.delta.feature.FeatureRegistry
import org.deltacollations.delta.stats.StatsCollector
import org.deltacollations.patch.{Hook, HookKind}
import org.deltacollations.protocol.ColumnBounds

/**
 * Adds a column with the bounds of strings to the files with parsed statistics that Delta caches per
 * snapshot, once a filter needs bounds.
 *
 * Without such a filter, Delta's cache is unchanged. If Delta has cached the files already, or if a
 * filter needs bounds that were not needed before, the files are cached again with all bounds, in place
 * of the others. Delta removes both when it removes the snapshot.
 *
 * The bounds are a column of their own and not part of Delta's statistics schema: Delta compares
 * everything in that schema in binary order, and passes it to collectors that know only Delta's own
 * statistics.
 */
private[delta] object FilesWithBounds {

  private val ColumnName = "deltaCollationsBounds"

  private val reader = "org.apache.spark.sql.delta.stats.DataSkippingReaderBase"

  private val degradation = "files are not skipped by filters on collated columns"

  val parsing: Hook = Hook(
    name = "skipping-bounds-column",
    className = reader,
    method = "withStatsInternal0",
    signatures = Seq("(): sql.Dataset"),
    kind = HookKind.ReplaceResult,
    degradation = degradation,
    requires = Set("skipping-data-filters", "skipping-file-filter", "skipping-bounds-cache"),
    replace = call => {
      val files = call.value.asInstanceOf[DataFrame]
      stateOf(call.receiver).fold(files)(_.parsed(files))
    }
  )

  val caching: Hook = Hook(
    name = "skipping-bounds-cache",
    className = reader,
    method = "withStatsInternal",
    signatures = Seq("(): sql.Dataset"),
    kind = HookKind.ReplaceResult,
    degradation = degradation,
    requires = Set("skipping-data-filters", "skipping-file-filter", "skipping-bounds-column"),
    replace = call => {
      val files = call.value.asInstanceOf[DataFrame]
      stateOf(call.receiver)
        .fold(files)(_.cached(call.receiver.asInstanceOf[Snapshot], files))
    }
  )

  /** The states of snapshots for as long as Delta keeps them. Keys compare by identity. */
  private val states = new MapMaker().weakKeys().makeMap[AnyRef, State]()

  private def stateOf(snapshot: AnyRef): Option[State] = Option(states.get(snapshot))

  /**
   * Adds `bounds` to the files that `withStats` returns. Returns false if that is not possible, because
   * the table does not support the feature or Delta's plan is another one.
   */
  def load(files: DataSkippingReaderBase, bounds: Seq[ColumnBounds]): Boolean = {
    val snapshot = files.asInstanceOf[Any].asInstanceOf[Snapshot]
    FeatureRegistry.isSupported(snapshot.protocol) && {
      val state = states.computeIfAbsent(files, _ => new State)
      if (!state.hasAdded(bounds)) {
        // Outside of the lock of the state, because Delta's lazy values lock the snapshot.
        state.require(bounds ++ usual(snapshot))
        files.withStats: Unit
      }
      state.hasAdded(bounds)
    }
  }

  /** Returns the column with the [[FileBounds]] of `bounds`, after they were loaded. */
  def column(bounds: ColumnBounds): Column =
    col(ColumnName).getField(ReadBounds.fieldName(bounds))

  /** The bounds that most filters on collated columns use, so that one pass is enough for them. */
  private def usual(snapshot: Snapshot): Seq[ColumnBounds] =
    StatsCollector.stringColumns(snapshot).flatMap { case (column, string) =>
      BoundsCollation.ofComparisons(string).map(collation => ColumnBounds(column, collation.id))
    }

  /** Delta's plan replaces the JSON statistics by the parsed ones, so the JSON is in its child. */
  private def withBounds(files: DataFrame, bounds: Seq[ColumnBounds]): Option[DataFrame] =
    files.queryExecution.analyzed match {
      case parsed @ Project(outputs, log) =>
        log.output.find(_.name == "stats").map { json =>
          val column = Alias(ReadBounds(json, bounds), ColumnName)()
          DataFrameUtils.ofRows(files.sparkSession, parsed.copy(projectList = outputs :+ column))
        }
      case _ => None
    }

  /** The bounds of one snapshot. It does not refer to the snapshot, which could then not be removed. */
  final private class State {

    /** The bounds that filters have needed so far. */
    private var required = Set.empty[ColumnBounds]

    /** The bounds of the newest files. */
    private var added = Set.empty[ColumnBounds]

    /** The files that replace those of Delta's own cache. The snapshot holds them. */
    private var replacement = new WeakReference[DatasetRefCache[Row]](null)

    def hasAdded(bounds: Seq[ColumnBounds]): Boolean = synchronized(bounds.forall(added))

    def require(bounds: Seq[ColumnBounds]): Unit = synchronized(required ++= bounds)

    /** Adds the required bounds to the plan that parses the statistics. */
    def parsed(files: DataFrame): DataFrame = synchronized {
      withBounds(files, required.toSeq).fold(files) { extended =>
        added = required
        extended
      }
    }

    /** Returns the files with the required bounds, where `files` are those of Delta's own cache. */
    def cached(snapshot: Snapshot, files: DataFrame): DataFrame = synchronized {
      if (added != required) replace(snapshot, Option(replacement.get).fold(files)(_.get))
      Option(replacement.get).fold(files)(_.get)
    }

    private def replace(snapshot: Snapshot, old: DataFrame): Unit = {
      val files = DataSkippingAccess.parsedFiles(snapshot)
      if (added == required) {
        val name =
          s"Delta Table State with Stats and Bounds #${snapshot.version} - ${snapshot.path}"
        val cache = snapshot.cacheDS(files, name)
        replacement = new WeakReference(snapshot.datasetRefCache(() => cache.getDF))
        old.queryExecution.analyzed match {
          case cached: LogicalRDD => cached.rdd.unpersist(blocking = false): Unit
          case _ => ()
        }
      }
    }
  }
}
