// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta

import org.apache.spark.sql.delta.Snapshot
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.implicits._
import org.apache.spark.sql.delta.stats.StatisticsCollection
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.{Dataset, Encoders}

import org.deltacollations.protocol.StatsGaps

/**
 * What bounds are true of: the same file with the same rows deleted, for the same columns, each the
 * versioned identifier and the path below it.
 */
final private[delta] case class Read(
    path: String,
    deletionVector: Option[String],
    columns: Seq[(String, Seq[String])]
)

/** The files of `snapshot` without bounds of the running version, and the bounds they should have. */
final private[delta] class MissingBounds(snapshot: Snapshot) {

  private val collated = AskedStatistics.collated(snapshot)

  private val columns: Seq[(String, Seq[String])] =
    StatsCollector.columns(collated).map(column => column.id.toString -> column.path)

  /**
   * All of them, in order, cut into commits. That is done where the log is read, and what comes to
   * the driver is a few words per batch, however many files there are.
   */
  def batches: Seq[RefreshBatch] =
    lacking(snapshot.allFiles)
      .map((file: AddFile) => (file.path, file.size))
      .repartition(1)
      .sortWithinPartitions("_1")
      .mapPartitions(RefreshBatch.cut(_))(Encoders.product[RefreshBatch])
      .collect().toSeq

  def files(batch: RefreshBatch): Seq[AddFile] =
    lacking(snapshot.allFiles.where(col("path").between(batch.first, batch.last))).collect().toSeq

  /**
   * A file with a deletion vector and no count of its rows breaks the protocol, and Delta refuses to
   * commit it, whatever else is mended.
   */
  private def lacking(files: Dataset[AddFile]): Dataset[AddFile] = {
    val wanted = columns
    files.filter((file: AddFile) =>
      StatsGaps.lacksBounds(file.stats, wanted) &&
        (file.deletionVector == null || StatsGaps.hasCounts(file.stats))
    )
  }

  def read(file: AddFile): Read =
    Read(file.path, Option(file.deletionVector).map(_.uniqueId), columns)

  /** Reads `files`, and of those that know their other columns only the collated ones. */
  def collect(files: Seq[AddFile]): Map[Read, String] = {
    val (known, unknown) = files.partition(file => StatsGaps.hasCounts(file.stats))
    // A file without rows is in no group; it was read all the same.
    files.map(read(_) -> StatsGaps.OfNoRows).toMap ++ collect(known, collated) ++
      collect(unknown, AskedStatistics.whole(snapshot))
  }

  private def collect(files: Seq[AddFile], statistics: AskedStatistics): Seq[(Read, String)] =
    if (files.isEmpty) Nil
    else {
      val root = snapshot.deltaLog.dataPath
      val byPath = StatisticsCollection.generateCandidateFileMap(root, files)
      val rows = snapshot.deltaLog.createDataFrame(snapshot, files)
      rows.groupBy(rows.metadataColumn("_metadata").getField("file_path"))
        .agg(statistics.asJson)
        .collect().toSeq
        .map { row =>
          read(StatisticsCollection.getTouchedFile(root, row.getString(0), byPath)) ->
            row.getString(1)
        }
    }
}
