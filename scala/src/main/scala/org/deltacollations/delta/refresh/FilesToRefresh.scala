// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.refresh

import org.apache.spark.sql.delta.Snapshot
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.stats.StatisticsCollection
import org.apache.spark.sql.functions.{col, udf}
import org.apache.spark.sql.{Dataset, Encoders}

import org.deltacollations.delta.stats.{OnDemandStats, RequiredBounds}
import org.deltacollations.protocol.StatsBackfill

/**
 * Identifies the rows and columns that collected statistics describe. They hold for a file as long as
 * its version stays the same.
 *
 * @param deletionVector
 *   the id of the deletion vector
 * @param columns
 *   the versioned collation identifier and the physical path of each column
 */
final private[delta] case class FileVersion(
    path: String,
    deletionVector: Option[String],
    columns: Seq[(String, Seq[String])]
)

/**
 * Statistics that were collected from the rows of a file.
 *
 * @param codePoints
 *   the value of the `CodePointTag`; none if the file has no rows or no column to collect it for
 */
final private[delta] case class CollectedStats(stats: String, codePoints: Option[String])

/** A file without bounds, as far as its batch depends on it. */
final private[delta] case class UncoveredFile(
    path: String,
    size: Long,
    stats: String,
    tags: Map[String, String]
)

/** Finds the files of `snapshot` without bounds of the current ICU version, and collects the bounds. */
final private[delta] class FilesToRefresh(snapshot: Snapshot) {

  private val collated = OnDemandStats.collated(snapshot)

  private val required = RequiredBounds.of(collated)

  /**
   * Splits all files without bounds into batches, ordered by path. Batches of files that need not be
   * read come first. Executors do this while they read the log; the driver gets a few values per batch,
   * regardless of the number of files.
   */
  def batches: Seq[RefreshBatch] = {
    // Functions that run on executors must not capture `this`, which has the snapshot.
    val bounds = required
    missingBounds(snapshot.allFiles)
      .select("path", "size", "stats", "tags").as(Encoders.product[UncoveredFile])
      .map { (file: UncoveredFile) =>
        val isProven = bounds.areProven(file.stats, file.tags)
        (!isProven, file.path, if (isProven) 0L else file.size)
      }(Encoders.product[(Boolean, String, Long)])
      .repartition(1)
      .sortWithinPartitions("_1", "_2")
      .mapPartitions(RefreshBatch.split(_))(Encoders.product[RefreshBatch])
      .collect().toSeq
  }

  /**
   * Returns the files of a batch that are still without bounds. A file that had to be read when the
   * batch was made, and need not be read now, does not belong to it, and vice versa.
   */
  def files(batch: RefreshBatch): Seq[AddFile] = {
    val bounds = required
    missingBounds(snapshot.allFiles.where(col("path").between(batch.first, batch.last)))
      .filter((file: AddFile) => bounds.areProven(file.stats, file.tags) != batch.isRead)
      .collect().toSeq
  }

  /** Returns the statistics of a file with all bounds that are proven to hold. */
  def relabeledStats(file: AddFile): String = required.relabeled(file.stats, file.tags)

  /**
   * Leaves out files with a deletion vector and without `numRecords`. They violate the protocol, and
   * Delta does not commit them, even with complete bounds. Only the statistics are decoded, because few
   * files have no bounds.
   */
  private def missingBounds(files: Dataset[AddFile]): Dataset[AddFile] = {
    val bounds = required
    val areMissing = udf((stats: String) => bounds.areMissing(stats))
    val hasNumRecords = udf((stats: String) => StatsBackfill.hasNumRecords(stats))
    files.where(areMissing(col("stats")))
      .where(col("deletionVector").isNull || hasNumRecords(col("stats")))
  }

  def versionOf(file: AddFile): FileVersion =
    FileVersion(file.path, Option(file.deletionVector).map(_.uniqueId), required.keys)

  /**
   * Reads `files` and collects their statistics: for all columns of files without statistics, and for
   * the collated columns of other files.
   */
  def collect(files: Seq[AddFile]): Map[FileVersion, CollectedStats] = {
    val (withStats, withoutStats) =
      files.partition(file => StatsBackfill.hasNumRecords(file.stats))
    // The aggregation returns no row for an empty file.
    val empty = CollectedStats(StatsBackfill.EmptyFileStats, None)
    files.map(versionOf(_) -> empty).toMap ++ collect(withStats, collated) ++
      collect(withoutStats, OnDemandStats.allColumns(snapshot))
  }

  private def collect(
      files: Seq[AddFile],
      statistics: OnDemandStats
  ): Seq[(FileVersion, CollectedStats)] =
    if (files.isEmpty) Nil
    else {
      val root = snapshot.deltaLog.dataPath
      val byPath = StatisticsCollection.generateCandidateFileMap(root, files)
      val rows = snapshot.deltaLog.createDataFrame(snapshot, files)
      rows.groupBy(rows.metadataColumn("_metadata").getField("file_path"))
        .agg(statistics.asJson, statistics.codePoints)
        .collect().toSeq
        .map { row =>
          val file = StatisticsCollection.getTouchedFile(root, row.getString(0), byPath)
          versionOf(file) -> CollectedStats(row.getString(1), Option(row.getString(2)))
        }
    }
}
