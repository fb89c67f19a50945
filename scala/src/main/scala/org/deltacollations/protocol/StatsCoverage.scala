// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import org.deltacollations.delta.inspect.FileTotals

/**
 * Files that are alike in what their statistics say about one column.
 *
 * @param column
 *   the place of the column among those that were asked for
 * @param versions
 *   of the collation of the column, in which the files have bounds
 * @param needsNone
 *   there is nothing in the column that bounds could be of
 * @param isRelabelled
 *   a refresh would find the bounds that they lack, of all columns, under another version
 */
final case class FileGroup(
    column: Int,
    versions: Seq[String],
    needsNone: Boolean,
    isRelabelled: Boolean,
    extent: FileTotals
)

/** What is looked at of a file. */
final case class FileStats(stats: String, size: Long, isRelabelled: Boolean)

/** Which bounds the files of a table have, counted. */
object StatsCoverage {

  /** A collation with more versions in one file does not exist; a log that says so is damaged. */
  val MostVersions = 16

  /** And none has a longer name. */
  private val LongestVersion = 64

  /**
   * @param columns
   *   the collation of each, and the path that files know it by
   */
  def of(
      files: Iterator[FileStats],
      columns: Seq[(CollationId, Seq[String])]
  ): Seq[FileGroup] = {
    val asked = columns.zipWithIndex.map { case ((id, path), column) =>
      Asked(column, ColumnBounds.folded(id), id.version, path)
    }
    merged(files.flatMap { file =>
      val stats = StatsJson.read(file.stats)
      val keys = stats.toSeq.flatMap(versionedKeys)
      asked.iterator.map(ofColumn(_, stats, keys, file))
    })
  }

  /** The same with one entry for files that are alike. */
  def merged(found: Iterator[FileGroup]): Seq[FileGroup] =
    found.foldLeft(Map.empty[FileGroup, FileTotals]) { (sums, next) =>
      val kind = next.copy(extent = FileTotals.Nothing)
      sums.updated(kind, sums.getOrElse(kind, FileTotals.Nothing) + next.extent)
    }.map { case (kind, sum) => kind.copy(extent = sum) }.toSeq

  /** A column, its collation in one spelling, and the version that must not be overlooked. */
  final private case class Asked(
      column: Int,
      collation: String,
      version: Option[String],
      path: Seq[String]
  )

  /** What a file has for one version of a collation, which is in one spelling. */
  final private case class Key(collation: String, version: String, bounds: JsonNode)

  private def versionedKeys(stats: ObjectNode): Seq[Key] = for {
    keys <- StatsJson.objectAt(stats, StatsNames.Collated).toSeq
    entry <- keys.properties.asScala.toSeq
    id <- CollationId.parse(entry.getKey)
    version <- id.version if version.length <= LongestVersion
  } yield Key(ColumnBounds.folded(id), version, entry.getValue)

  private def ofColumn(
      asked: Asked,
      stats: Option[ObjectNode],
      keys: Seq[Key],
      file: FileStats
  ): FileGroup = {
    val rows = stats.flatMap(StatsBackfill.numRecords)
    val nulls =
      stats.flatMap(StatsJson.at(_, StatsNames.NullCount +: asked.path)).flatMap(StatsJson.count)
    val versions = keys.collect {
      case Key(asked.collation, version, bounds) if StatsJson.hasBound(bounds, asked.path) =>
        version
    }
    FileGroup(
      column = asked.column,
      // The version that was asked for must not be among those that are too many.
      versions = versions.distinct.sortBy(version => (!asked.version.contains(version), version))
        .take(MostVersions).sorted,
      needsNone = rows.contains(0L) || (rows.isDefined && nulls == rows),
      isRelabelled = file.isRelabelled,
      extent = FileTotals(1, rows.getOrElse(0L), file.size)
    )
  }
}
