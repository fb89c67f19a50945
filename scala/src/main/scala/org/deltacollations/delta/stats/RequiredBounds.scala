// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats

import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.stats.StatisticsCollection

import org.deltacollations.collation.versions.{ColumnCodePoints, RelabelProof}
import org.deltacollations.config.CollationsConf
import org.deltacollations.protocol.{CollationId, StatsBackfill, StatsRelabeling}

/**
 * The bounds that files should have: each a versioned identifier, and the path of a column below it.
 * Small, since it goes to where the log is read.
 *
 * @param areCertified
 *   whether bounds under another version are taken for them, where both are proven to be alike
 */
final private[delta] case class RequiredBounds private (
    columns: Seq[(CollationId, Seq[String])],
    areCertified: Boolean
) {

  val named: Seq[(String, Seq[String])] = columns.map { case (id, path) => id.toString -> path }

  def areMissing(file: AddFile): Boolean = StatsBackfill.lacksBounds(file.stats, named)

  /** The statistics of a file with the bounds that it has under another version and that hold. */
  def relabelled(stats: String, tags: Map[String, String]): String =
    if (!areCertified || columns.isEmpty) stats
    else {
      lazy val held = ColumnCodePoints(tags)
      StatsRelabeling.added(stats, columns)(claim =>
        RelabelProof.holds(claim, held.of(claim.column))
      )
    }

  /** Whether nothing is missing then. */
  def areProven(file: AddFile): Boolean =
    !StatsBackfill.lacksBounds(relabelled(file.stats, file.tags), named)
}

private[delta] object RequiredBounds {

  def apply(columns: Seq[(CollationId, Seq[String])]): RequiredBounds =
    RequiredBounds(columns, CollationsConf.CertificatesEnabled.isOn)

  /** In the running version. */
  def of(statistics: StatisticsCollection): RequiredBounds =
    RequiredBounds(StatsCollector.columns(statistics).map(column => column.id -> column.path))
}
