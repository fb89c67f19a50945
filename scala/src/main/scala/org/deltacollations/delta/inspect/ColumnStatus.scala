// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.inspect

import org.deltacollations.protocol.{
  CollatedColumn,
  CollationId,
  FileGroup,
  FileTotals,
  StatsCoverage
}

/**
 * Describes the statistics of one column in one version of its collation.
 *
 * @param statistics
 *   the collation of the bounds, as a key of the statistics without its version. It differs from that of
 *   the column if the latter is not a total order. None if the collation is not supported
 * @param version
 *   the ICU version, which is the version of every collation; none if the collation is not supported
 * @param isCurrent
 *   whether `version` is the ICU version of this session
 * @param status
 *   a summary for users
 * @param needsRefresh
 *   whether a refresh would change the status
 * @param covered
 *   files with bounds of this version, and files that need none
 * @param otherVersion
 *   files with bounds of other versions only
 * @param missing
 *   files without bounds
 * @param relabeled
 *   files that a refresh would not read, because bounds of another version are proven to hold
 * @param read
 *   files that a refresh would read
 */
final case class ColumnStatus(
    column: CollatedColumn,
    statistics: Option[CollationId],
    version: Option[String],
    isCurrent: Boolean,
    status: String,
    needsRefresh: Boolean,
    covered: FileTotals,
    otherVersion: FileTotals,
    missing: FileTotals,
    relabeled: FileTotals,
    read: FileTotals
) {

  def inTable: FileTotals = covered + otherVersion + missing
}

object ColumnStatus {

  /**
   * Returns the status in the current version, followed by one for each other version that files have
   * bounds for.
   *
   * @param current
   *   the collation of the bounds in its current version; none if the collation is not supported
   * @param whyNotCollected
   *   the reason if writers do not collect statistics for the column
   */
  def of(
      column: CollatedColumn,
      current: Option[CollationId],
      whyNotCollected: Option[String],
      files: Seq[FileGroup]
  ): Seq[ColumnStatus] = {
    val currentVersion = current.flatMap(_.version)
    def row(version: Option[String], status: String, needsRefresh: Boolean) = {
      val (covered, rest) = files.partition(isCovered(_, version))
      val (other, missing) = rest.partition(_.versions.nonEmpty)
      val (relabeled, read) = rest.filter(_ => needsRefresh).partition(_.canBeRelabeled)
      ColumnStatus(
        column,
        current.map(_.unversioned),
        version,
        version == currentVersion,
        status,
        needsRefresh,
        sum(covered),
        sum(other),
        sum(missing),
        sum(relabeled),
        sum(read)
      )
    }
    currentVersion.fold(Seq(row(None, UnknownCollation, needsRefresh = false))) { current =>
      val status = whyNotCollected.map(NotCollected + _).getOrElse(statusOf(current, files))
      val needsRefresh = whyNotCollected.isEmpty && status != Healthy
      row(currentVersion, status, needsRefresh) +: newest(files).filterNot(_ == current).map {
        version => row(Some(version), s"not used: ${written(Seq(version), current)}", false)
      }
    }
  }

  val UnknownCollation: String = "unknown collation"

  val Healthy: String = "healthy"

  /** The prefix of the statuses that say why writers do not collect statistics. */
  val NotCollected: String = "not collected: "

  private def isCovered(files: FileGroup, version: Option[String]): Boolean =
    files.needsNoBounds || version.exists(files.versions.contains)

  private def statusOf(current: String, files: Seq[FileGroup]): String = {
    val uncovered = files.filterNot(isCovered(_, Some(current)))
    val hasCurrent = files.exists(_.versions.contains(current))
    if (uncovered.isEmpty) Healthy
    else if (files.forall(_.versions.isEmpty)) "missing: no file has statistics"
    else if (uncovered.forall(_.versions.nonEmpty) && !hasCurrent)
      s"stale: ${written(newest(files), current)}"
    else {
      val count = s"${sum(uncovered).files} of ${sum(files).files}"
      s"partial: $count files without statistics of ICU $current"
    }
  }

  /**
   * Returns the versions in ascending order. A corrupt log may contain more versions than ICU has. Then
   * only the highest are returned, as they are the most likely ones.
   */
  private def newest(files: Seq[FileGroup]): Seq[String] =
    files.flatMap(_.versions).distinct.sortBy(sortKey).takeRight(StatsCoverage.MaxVersions)

  private def written(versions: Seq[String], current: String): String = {
    val listed = (versions.init.mkString(", ") +: versions.lastOption.toSeq).filter(_.nonEmpty)
    s"written by ICU ${listed.mkString(" and ")}, current is $current"
  }

  private def sum(files: Seq[FileGroup]): FileTotals =
    files.map(_.totals).foldLeft(FileTotals.Zero)(_ + _)

  /** Sorts 9.2 before 10.1, and parts that are not numbers before all numbers. */
  private def sortKey(version: String): String =
    version.split('.').map { part =>
      val isNumber = part.forall(Character.isDigit)
      if (isNumber) f"1${part.length}%09d$part" else s"0$part"
    }.mkString(".")
}
