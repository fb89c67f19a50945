// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.refresh

import org.apache.spark.sql.delta.Snapshot
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.stats.StatisticsCollection
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.{Dataset, Encoders}

import org.deltacollations.delta.stats.{OnDemandStats, RequiredBounds}
import org.deltacollations.protocol.StatsBackfill

/**
 * What bounds are true of: the same file with the same rows deleted, for the same columns, each the
 * versioned identifier and the path below it.
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
 *   the value of the `CodePointTag`, unless there is no column to collect it for
 */
final private[delta] case class CollectedStats(stats: String, codePoints: Option[String])

/** The files of `snapshot` without bounds of the running version, and the bounds they should have. */
final private[delta] class FilesToRefresh(snapshot: Snapshot) {

  private val collated = OnDemandStats.collated(snapshot)

  private val wanted = RequiredBounds.of(collated)

  private val columns: Seq[(String, Seq[String])] = wanted.named

  /**
   * All of them, in order, cut into commits; first those that need no reading. That is done where the
   * log is read, and what comes to the driver is a few words per batch, however many files there are.
   */
  def batches: Seq[RefreshBatch] = {
    val bounds = wanted
    lacking(snapshot.allFiles)
      .map { (file: AddFile) =>
        val isProven = bounds.areProven(file)
        (!isProven, file.path, if (isProven) 0L else file.size)
      }(Encoders.product[(Boolean, String, Long)])
      .repartition(1)
      .sortWithinPartitions("_1", "_2")
      .mapPartitions(RefreshBatch.cut(_))(Encoders.product[RefreshBatch])
      .collect().toSeq
  }

  /** Those of a batch that still lack bounds, and that still have to be read, or still need not be. */
  def files(batch: RefreshBatch): Seq[AddFile] = {
    val bounds = wanted
    lacking(snapshot.allFiles.where(col("path").between(batch.first, batch.last)))
      .filter((file: AddFile) => bounds.areProven(file) != batch.isRead)
      .collect().toSeq
  }

  /** The statistics of a file with all bounds that are proven to hold. */
  def relabeled(file: AddFile): String = wanted.relabeled(file.stats, file.tags)

  /**
   * A file with a deletion vector and no count of its rows breaks the protocol, and Delta refuses to
   * commit it, whatever else is mended.
   */
  private def lacking(files: Dataset[AddFile]): Dataset[AddFile] = {
    val bounds = wanted
    files.filter((file: AddFile) =>
      bounds.areMissing(file) &&
        (file.deletionVector == null || StatsBackfill.hasNumRecords(file.stats))
    )
  }

  def read(file: AddFile): FileVersion =
    FileVersion(file.path, Option(file.deletionVector).map(_.uniqueId), columns)

  /** Reads `files`, and of those that know their other columns only the collated ones. */
  def collect(files: Seq[AddFile]): Map[FileVersion, CollectedStats] = {
    val (known, unknown) = files.partition(file => StatsBackfill.hasNumRecords(file.stats))
    // A file without rows is in no group; it was read all the same.
    val empty = CollectedStats(StatsBackfill.EmptyFileStats, None)
    files.map(read(_) -> empty).toMap ++ collect(known, collated) ++
      collect(unknown, OnDemandStats.whole(snapshot))
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
          read(StatisticsCollection.getTouchedFile(root, row.getString(0), byPath)) ->
            CollectedStats(row.getString(1), Option(row.getString(2)))
        }
    }
}
