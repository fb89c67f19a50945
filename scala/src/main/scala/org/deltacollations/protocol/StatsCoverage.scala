// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

/** The number of files in a group, with the sums of their rows and bytes. */
final case class FileTotals(files: Long, rows: Long, bytes: Long) {

  def +(other: FileTotals): FileTotals =
    FileTotals(files + other.files, rows + other.rows, bytes + other.bytes)
}

object FileTotals {
  val Zero: FileTotals = FileTotals(0, 0, 0)
}

/**
 * Files that do not differ in their statistics of one column.
 *
 * @param columnIndex
 *   the index of the column in the requested columns
 * @param versions
 *   of the column's collation for which the files have bounds
 * @param needsNoBounds
 *   whether the column has only nulls or no rows
 * @param canBeRelabeled
 *   whether bounds of the requested version are missing, and a refresh finds those of all columns under
 *   another version, without reading the files
 */
final case class FileGroup(
    columnIndex: Int,
    versions: Seq[String],
    needsNoBounds: Boolean,
    canBeRelabeled: Boolean,
    totals: FileTotals
)

/**
 * The properties of a file that determine its group.
 *
 * @param canBeRelabeled
 *   is called only if bounds of a column are missing, because few files have none
 */
final case class FileStats(stats: String, size: Long, canBeRelabeled: () => Boolean)

/** Counts the files of a table by the bounds that they have. */
object StatsCoverage {

  /** Limits the work on a forged log: no file has bounds for more versions of a collation. */
  val MaxVersions = 16

  private val MaxVersionLength = 64

  /**
   * @param columns
   *   the collation and the physical path of each column
   */
  def of(
      files: Iterator[FileStats],
      columns: Seq[(CollationId, Seq[String])]
  ): Seq[FileGroup] = {
    val requested = columns.zipWithIndex.map { case ((id, path), index) =>
      RequestedColumn(index, ColumnBounds.caseFolded(id), id.version, path)
    }
    merged(files.flatMap { file =>
      val stats = StatsJson.read(file.stats)
      val bounds = stats.toSeq.flatMap(versionedBounds)
      requested.iterator.map(groupOf(_, stats, bounds, file))
    })
  }

  /** Adds up the totals of groups that are otherwise equal. */
  def merged(groups: Iterator[FileGroup]): Seq[FileGroup] =
    groups.foldLeft(Map.empty[FileGroup, FileTotals]) { (sums, next) =>
      val group = next.copy(totals = FileTotals.Zero)
      sums.updated(group, sums.getOrElse(group, FileTotals.Zero) + next.totals)
    }.map { case (group, sum) => group.copy(totals = sum) }.toSeq

  /** A column with its case-folded collation and the version that must not be truncated away. */
  final private case class RequestedColumn(
      index: Int,
      collation: String,
      version: Option[String],
      path: Seq[String]
  )

  /** The bounds of a file for one version of a case-folded collation. */
  final private case class VersionedBounds(collation: String, version: String, bounds: JsonNode)

  private def versionedBounds(stats: ObjectNode): Seq[VersionedBounds] = for {
    entries <- StatsJson.objectAt(stats, StatsNames.Collated).toSeq
    entry <- entries.properties.asScala.toSeq
    id <- CollationId.parse(entry.getKey)
    version <- id.version if version.length <= MaxVersionLength
  } yield VersionedBounds(ColumnBounds.caseFolded(id), version, entry.getValue)

  private def groupOf(
      column: RequestedColumn,
      stats: Option[ObjectNode],
      versionedBounds: Seq[VersionedBounds],
      file: FileStats
  ): FileGroup = {
    val versions = versionedBounds.collect {
      case VersionedBounds(column.collation, version, bounds)
          if StatsJson.hasBound(bounds, column.path) => version
    }
    val needsNoBounds = stats.exists(hasNoValues(_, column.path))
    val isCovered = needsNoBounds || column.version.exists(versions.contains)
    FileGroup(
      columnIndex = column.index,
      // Sorts the requested version first, so that `take` never drops it.
      versions = versions.distinct.sortBy(version => (!column.version.contains(version), version))
        .take(MaxVersions).sorted,
      needsNoBounds,
      canBeRelabeled = !isCovered && file.canBeRelabeled(),
      totals = FileTotals(1, stats.flatMap(StatsBackfill.numRecordsIn).getOrElse(0L), file.size)
    )
  }

  /** Whether the column has only nulls or no rows. */
  private[protocol] def hasNoValues(stats: ObjectNode, column: Seq[String]): Boolean = {
    val rows = StatsBackfill.numRecordsIn(stats)
    val nulls = StatsJson.nodeAt(stats, StatsNames.NullCount +: column).flatMap(StatsJson.asCount)
    rows.contains(0L) || (rows.isDefined && nulls == rows)
  }
}

/**
 * The range of a column's values in one file.
 *
 * @param hasValues
 *   whether the column may have values that are not null
 * @param bounds
 *   the minimum and the maximum, if both are known
 */
final case class FileRange(hasValues: Boolean, bounds: Option[FileRange.Bounds])

object FileRange {

  final case class Bounds(min: String, max: String)

  /** Reads the range in the order of `collation`, which includes the version. */
  def of(stats: String, column: Seq[String], collation: CollationId): FileRange = {
    val Seq(found) =
      new BoundsReader(Seq(ColumnBounds(column, collation))).read(stats): @unchecked
    FileRange(
      hasValues = !StatsJson.read(stats).exists(StatsCoverage.hasNoValues(_, column)),
      found.values.headOption.map { case (min, max) => Bounds(min, max) }
    )
  }
}
