// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta

import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.stats.StatisticsCollection

import org.deltacollations.CollationsConf
import org.deltacollations.protocol.{CollationId, StatsGaps, StatsLabels}
import org.deltacollations.versions.{HeldCodePoints, ProvenClaims}

/**
 * The bounds that files should have: each a versioned identifier, and the path of a column below it.
 * Small, since it goes to where the log is read.
 *
 * @param areCertified
 *   whether bounds under another version are taken for them, where both are proven to be alike
 */
final private[delta] case class WantedBounds private (
    columns: Seq[(CollationId, Seq[String])],
    areCertified: Boolean
) {

  val named: Seq[(String, Seq[String])] = columns.map { case (id, path) => id.toString -> path }

  def areMissing(file: AddFile): Boolean = StatsGaps.lacksBounds(file.stats, named)

  /** The statistics of a file with the bounds that it has under another version and that hold. */
  def relabelled(stats: String, tags: Map[String, String]): String =
    if (!areCertified || columns.isEmpty) stats
    else {
      lazy val held = HeldCodePoints(tags)
      StatsLabels.added(stats, columns)(claim => ProvenClaims.holds(claim, held.of(claim.column)))
    }

  /** Whether nothing is missing then. */
  def areProven(file: AddFile): Boolean =
    !StatsGaps.lacksBounds(relabelled(file.stats, file.tags), named)
}

private[delta] object WantedBounds {

  def apply(columns: Seq[(CollationId, Seq[String])]): WantedBounds =
    WantedBounds(columns, CollationsConf.CertificatesEnabled.isOn)

  /** In the running version. */
  def of(statistics: StatisticsCollection): WantedBounds =
    WantedBounds(StatsCollector.columns(statistics).map(column => column.id -> column.path))
}
