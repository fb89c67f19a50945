// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.inspect

import org.deltacollations.protocol.{CollatedColumn, FileGroup, FileTotals, StatsCoverage}

/**
 * The state of the statistics of one column in one version of its collation.
 *
 * @param version
 *   of ICU, which is the version of every collation; none where nobody here knows the collation
 * @param needsRefresh
 *   whether to collect statistics would change the verdict
 * @param relabeled
 *   what a refresh would give bounds without reading it, because others are proven to hold
 * @param read
 *   what a refresh would read
 */
final case class ColumnStatus(
    column: CollatedColumn,
    version: Option[String],
    isRunning: Boolean,
    verdict: String,
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
   * One for the running version, and one for each other that files have.
   *
   * @param running
   *   none if nobody here knows the collation
   * @param obstacle
   *   why no writer collects statistics of the column, if that is so
   */
  def of(
      column: CollatedColumn,
      running: Option[String],
      obstacle: Option[String],
      files: Seq[FileGroup]
  ): Seq[ColumnStatus] = {
    val found = newest(files)
    def row(version: Option[String], verdict: String, needsRefresh: Boolean) = {
      val (covered, rest) =
        files.partition(kind => kind.needsNoBounds || version.exists(kind.versions.contains))
      val (other, missing) = rest.partition(_.versions.nonEmpty)
      val (relabeled, read) = rest.filter(_ => needsRefresh).partition(_.canBeRelabeled)
      ColumnStatus(
        column,
        version,
        version == running,
        verdict,
        needsRefresh,
        sum(covered),
        sum(other),
        sum(missing),
        sum(relabeled),
        sum(read)
      )
    }
    running.fold(Seq(row(None, UnknownCollation, needsRefresh = false))) { now =>
      val verdict = obstacle.map(NoStatistics + _).getOrElse(judged(now, files))
      val first = row(running, verdict, needsRefresh = obstacle.isEmpty && verdict != Healthy)
      first +: found.filterNot(_ == now).map { version =>
        val verdict = s"not used: ${written(Seq(version), now)}"
        row(Some(version), verdict, needsRefresh = false)
      }
    }
  }

  val UnknownCollation: String = "unknown collation"

  val Healthy: String = "healthy"

  val NoStatistics: String = "not collected: "

  private def judged(running: String, files: Seq[FileGroup]): String = {
    val lacking =
      files.filterNot(kind => kind.needsNoBounds || kind.versions.contains(running))
    val isRunning = files.exists(_.versions.contains(running))
    if (lacking.isEmpty) Healthy
    else if (files.forall(_.versions.isEmpty)) "missing: no file has statistics"
    else if (lacking.forall(_.versions.nonEmpty) && !isRunning)
      s"stale: ${written(newest(files), running)}"
    else
      s"partial: ${sum(lacking).files} of ${sum(files).files} files without statistics of ICU $running"
  }

  /** Of more versions than there can be, those with the highest numbers are the likeliest. */
  private def newest(files: Seq[FileGroup]): Seq[String] =
    files.flatMap(_.versions).distinct.sortBy(numbers).takeRight(StatsCoverage.MaxVersions)

  private def written(versions: Seq[String], running: String): String = {
    val listed = (versions.init.mkString(", ") +: versions.lastOption.toSeq).filter(_.nonEmpty)
    s"written by ICU ${listed.mkString(" and ")}, current is $running"
  }

  private def sum(files: Seq[FileGroup]): FileTotals =
    files.map(_.totals).foldLeft(FileTotals.Zero)(_ + _)

  /** 9.2 comes before 10.1, and what is no number before all that are. */
  private def numbers(version: String): String =
    version.split('.').map { part =>
      val isNumber = part.forall(Character.isDigit)
      if (isNumber) f"1${part.length}%09d$part" else s"0$part"
    }.mkString(".")
}
