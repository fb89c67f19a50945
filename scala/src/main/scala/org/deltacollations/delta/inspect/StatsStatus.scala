// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.inspect

import org.apache.spark.sql.delta.Snapshot
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.{Encoders, SparkSession}

import org.deltacollations.collation.{CoarserCollations, SparkCollations}
import org.deltacollations.delta.stats.{OnDemandStats, RequiredBounds, StatsCollector}
import org.deltacollations.delta.util.JobDescription
import org.deltacollations.protocol.{
  CollatedColumn,
  CollatedColumns,
  CollationId,
  FileGroup,
  FileStats,
  StatsCoverage
}

/** What the status needs to know of a file in the log. */
final private[inspect] case class LoggedStats(stats: String, size: Long, tags: Map[String, String])

/**
 * Computes the status of the statistics of a table's collated columns from the log. Executors read the
 * log; the driver gets a few sums per column, regardless of the number of files.
 */
final class StatsStatus(snapshot: Snapshot) {

  /** Returns the columns in schema order. The current version of each column comes first. */
  def status: Seq[ColumnStatus] = {
    val columns = StatsStatus.columns(snapshot)
    val files = fileGroups(columns.map(column => column.statsId -> column.schema.physicalPath))
      .groupBy(_.columnIndex)
    columns.zipWithIndex.flatMap { case (column, index) =>
      ColumnStatus.of(
        column.schema,
        column.id,
        column.whyNotCollected,
        files.getOrElse(index, Nil)
      )
    }
  }

  private def fileGroups(columns: Seq[(CollationId, Seq[String])]): Seq[FileGroup] =
    if (columns.isEmpty) Nil
    else {
      val description = s"Reading the statistics of ${snapshot.path}"
      val groups = JobDescription.of(SparkSession.active, description) {
        val required = RequiredBounds.of(OnDemandStats.collated(snapshot))
        // Few columns, because decoding all of them would take longer than everything else.
        snapshot.allFiles.select("stats", "size", "tags").as(Encoders.product[LoggedStats])
          .mapPartitions { (files: Iterator[LoggedStats]) =>
            val stats = files.map { case LoggedStats(stats, size, tags) =>
              lazy val isProven = required.areMissing(stats) && required.areProven(stats, tags)
              FileStats(stats, size, () => isProven)
            }
            StatsCoverage.of(stats, columns).iterator
          }(Encoders.product[FileGroup]).collect()
      }
      StatsCoverage.merged(groups.iterator)
    }
}

object StatsStatus {

  /**
   * A collated column of a table.
   *
   * @param id
   *   the collation of the bounds in its current version; none if the collation of the column is not
   *   supported
   * @param whyNotCollected
   *   the reason if writers do not collect statistics for the column
   */
  final case class Column(
      schema: CollatedColumn,
      id: Option[CollationId],
      whyNotCollected: Option[String]
  ) {

    /** Returns the key of the statistics; a key that no file has if the collation is not supported. */
    def statsId: CollationId = id.getOrElse(CollationId("", ""))
  }

  def columns(snapshot: Snapshot): Seq[Column] = {
    val collected = StatsCollector.columns(snapshot).map(_.path).toSet
    CollatedColumns.of(snapshot.metadata.schemaString).map { column =>
      val string =
        CollationId.parse(column.identifier).flatMap(SparkCollations.nameOf).map(StringType(_))
      val ofBounds = string.flatMap(CoarserCollations.forStatistics)
      val id = ofBounds.orElse(string).map(SparkCollations.versionedId)
      val whyNotCollected = string.flatMap { _ =>
        if (snapshot.metadata.partitionColumns.contains(column.path.head)) Some("partition column")
        else if (column.isInCollection) Some("inside an array or map")
        else if (ofBounds.isEmpty) Some("not a total order")
        else if (!collected(column.physicalPath)) Some("not an indexed column")
        else None
      }
      Column(column, id, whyNotCollected)
    }
  }
}
