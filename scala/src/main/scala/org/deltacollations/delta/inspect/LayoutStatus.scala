// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.inspect

import org.apache.spark.sql.delta.Snapshot
import org.apache.spark.sql.delta.skipping.clustering.ClusteredTableUtils
import org.apache.spark.sql.functions.{
  broadcast,
  col,
  count,
  lit,
  map_entries,
  pmod,
  sort_array,
  xxhash64
}
import org.apache.spark.sql.{DataFrame, Encoders, SparkSession}

import org.deltacollations.collation.{CollatedTypes, SparkCollations, SparkOrder}
import org.deltacollations.delta.util.JobDescription
import org.deltacollations.protocol.{CollationId, FileRange}

/**
 * How the files of a table are laid out by one column.
 *
 * @param lookupShare
 *   the share of the files that a lookup of one value reads at most, on average over values
 * @param clause
 *   what comes after `OPTIMIZE` and the name of the table in a statement that reduces this share; none if it
 *   is low, or if the table is clustered by other columns
 */
final case class ColumnLayout(lookupShare: Double, clause: Option[String]) {

  /** Describes a layout that a statement can improve. */
  def status: String =
    s"overlapping: a lookup reads up to ${math.round(lookupShare * 100)} % of the files"
}

/**
 * Computes the layouts of collated columns from a sample of the log. Executors read the log; the driver
 * gets a few numbers per column.
 */
final class LayoutStatus(snapshot: Snapshot) {
  import LayoutStatus._

  /** Returns the layout of each column of which some files have bounds. */
  def of(statuses: Seq[ColumnStatus]): Map[Seq[String], ColumnLayout] = {
    val columns = for {
      status <- statuses
      if status.isCurrent && status.inTable.files >= MinFiles && status.covered.files > 0
      statistics <- status.statistics
      name <- SparkCollations.nameOf(statistics)
    } yield Column(status.column.physicalPath, statistics.copy(version = status.version), name)
    overlaps(columns).zip(columns).flatMap { case (overlap, column) =>
      overlap.map { found =>
        val isHigh = found.avoidableShare >= HighShare && found.files >= MinFiles
        val path = statuses.find(_.column.physicalPath == column.path).get.column.path
        path -> ColumnLayout(found.share, clause(column, path).filter(_ => isHigh))
      }
    }.toMap
  }

  /** Tables with `CLUSTER BY` reject `ZORDER BY`. */
  private def clause(column: Column, path: Seq[String]): Option[String] =
    if (!ClusteredTableUtils.isSupported(snapshot.protocol))
      Some(s"ZORDER BY (${CollatedTypes.quoted(path)})")
    else
      Option.when(
        ClusteredTableUtils.getClusteringColumnsOptional(snapshot).toSeq.flatten
          .exists(_.physicalName == column.path)
      )("FULL")

  private def overlaps(columns: Seq[Column]): Seq[Option[FileOverlap]] =
    if (columns.isEmpty) Nil
    else {
      val description = s"Comparing the bounds of files of ${snapshot.path}"
      JobDescription.of(SparkSession.active, description) {
        sample.as(Encoders.tuple(Encoders.scalaLong, Encoders.scalaLong, Encoders.STRING))
          .map { case (partition, files, stats) =>
            SampledFile(
              partition,
              files,
              columns.map(each => FileRange.of(stats, each.path, each.id))
            )
          }(Encoders.product[SampledFile])
          .repartition(1)
          .mapPartitions(sampled => Iterator(overlapsIn(sampled.toSeq, columns)))(
            Encoders.product[Overlaps]
          ).collect().flatMap(_.ofColumns).toSeq
      }
    }

  /** Returns the partition, the number of files in the partition, and the statistics of each file. */
  private def sample: DataFrame = {
    val files = snapshot.allFiles.toDF()
      .withColumn("partition", xxhash64(sort_array(map_entries(col("partitionValues")))))
    val partitions = files.groupBy("partition").agg(count(lit(1)).as("files"))
      .orderBy("partition").limit(MaxPartitions)
    val maxFiles =
      if (snapshot.metadata.partitionColumns.isEmpty) MaxFiles else MaxFiles / MaxPartitions
    files.join(broadcast(partitions), "partition")
      .where(pmod(xxhash64(col("path")), col("files")) < maxFiles)
      .select("partition", "files", "stats")
  }
}

object LayoutStatus {

  /** Below this number of files, an overlap costs little, and `OPTIMIZE` can reduce it little. */
  val MinFiles: Int = 20

  /** The share of files from which on a layout is considered bad. */
  val HighShare: Double = 0.5

  /** Limits the bounds in memory. With more files, the average over these files is an estimate. */
  private val MaxFiles = 1000

  private val MaxPartitions = 20

  final private case class Column(path: Seq[String], id: CollationId, collation: String)

  final private[inspect] case class SampledFile(
      partition: Long,
      files: Long,
      ranges: Seq[FileRange]
  )

  final private[inspect] case class Overlaps(ofColumns: Seq[Option[FileOverlap]])

  private def overlapsIn(sample: Seq[SampledFile], columns: Seq[Column]): Overlaps =
    Overlaps(columns.indices.map { index =>
      val order = SparkOrder(columns(index).collation)
      val partitions = sample.groupBy(_.partition).values.toSeq.sortBy(_.head.partition)
      FileOverlap.average(partitions.flatMap { files =>
        FileOverlap.of(files.map(_.ranges(index)), files.head.files, order)
      })
    })
}
