// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.inspect

import org.apache.spark.sql.delta.Snapshot
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.{Encoders, SparkSession}

import org.deltacollations.collation.{SparkCollations, SparkOrder}
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

/**
 * What state the statistics of the collated columns of a table are in. All of it is read from the
 * log, in parallel; what comes to the driver is a few sums per column, however many files there are.
 */
final class StatsStatus(snapshot: Snapshot) {

  /** Column by column, in the order of the schema; the running version of each comes first. */
  def status: Seq[ColumnStatus] = {
    val columns = StatsStatus.columns(snapshot)
    val covered = files(columns.map(column => column.searched -> column.schema.physicalPath))
      .groupBy(_.columnIndex)
    columns.zipWithIndex.flatMap { case (column, place) =>
      ColumnStatus.of(
        column.schema,
        column.running.flatMap(_.version),
        column.obstacle,
        covered.getOrElse(place, Nil)
      )
    }
  }

  private def files(columns: Seq[(CollationId, Seq[String])]): Seq[FileGroup] =
    if (columns.isEmpty) Nil
    else {
      val session = SparkSession.active
      val found = JobDescription.of(session, s"Looking at the statistics of ${snapshot.path}") {
        val wanted = RequiredBounds.of(OnDemandStats.collated(snapshot))
        snapshot.allFiles.mapPartitions { (files: Iterator[AddFile]) =>
          val looked = files.map(file =>
            FileStats(
              file.stats,
              file.size,
              canBeRelabeled = wanted.areMissing(file) && wanted.areProven(file)
            )
          )
          StatsCoverage.of(looked, columns).iterator
        }(Encoders.product[FileGroup]).collect()
      }
      StatsCoverage.merged(found.iterator)
    }
}

object StatsStatus {

  /**
   * A collated column of a table.
   *
   * @param running
   *   the collation as statistics name it now; none if nobody here knows it
   * @param obstacle
   *   why no writer collects statistics of it, if that is so
   */
  final case class Column(
      schema: CollatedColumn,
      running: Option[CollationId],
      obstacle: Option[String]
  ) {

    /** What statistics name it; nothing that a file could have, if nobody here knows it. */
    def searched: CollationId = running.getOrElse(CollationId("", ""))
  }

  def columns(snapshot: Snapshot): Seq[Column] = {
    val collected = StatsCollector.columns(snapshot).map(_.path).toSet
    CollatedColumns.of(snapshot.metadata.schemaString).map { column =>
      val name = CollationId.parse(column.identifier).flatMap(SparkCollations.nameOf)
      val running = name.map(name => SparkCollations.versionedId(StringType(name)))
      val obstacle = name.flatMap { name =>
        if (snapshot.metadata.partitionColumns.contains(column.path.head)) Some("partition column")
        else if (column.isInCollection) Some("inside an array or map")
        else if (!SparkOrder(name).isTotalOrder) Some("not a total order")
        else if (!collected(column.physicalPath)) Some("not an indexed column")
        else None
      }
      Column(column, running, obstacle)
    }
  }
}
