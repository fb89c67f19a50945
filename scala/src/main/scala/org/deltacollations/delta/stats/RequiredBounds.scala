// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats

import org.apache.spark.sql.delta.stats.StatisticsCollection

import org.deltacollations.collation.versions.{ColumnCodePoints, RelabelProof}
import org.deltacollations.config.CollationsConf
import org.deltacollations.protocol.{CollationId, StatsBackfill, StatsRelabeling}

/**
 * The bounds that files should have. An instance is small, because Spark serializes it to the executors
 * that read the log.
 *
 * @param columns
 *   the collation in the required version and the physical path of each column
 * @param canRelabel
 *   whether bounds of another version may be used where they are proven to hold
 */
final private[delta] case class RequiredBounds private (
    columns: Seq[(CollationId, Seq[String])],
    canRelabel: Boolean
) {

  /** The columns with their collations as the keys of `statsWithCollation`. */
  val keys: Seq[(String, Seq[String])] = columns.map { case (id, path) => id.toString -> path }

  def areMissing(stats: String): Boolean = StatsBackfill.isMissingBounds(stats, keys)

  /** Returns `stats` with all missing bounds that can be copied from other versions. */
  def relabeled(stats: String, tags: Map[String, String]): String =
    if (!canRelabel || columns.isEmpty) stats
    else {
      lazy val codePoints = ColumnCodePoints(tags)
      StatsRelabeling.relabeled(stats, columns)(candidate =>
        RelabelProof.isProven(candidate, codePoints.of(candidate.column))
      )
    }

  /** Returns whether a file has all bounds after relabeling. */
  def areProven(stats: String, tags: Map[String, String]): Boolean =
    !areMissing(relabeled(stats, tags))
}

private[delta] object RequiredBounds {

  def apply(columns: Seq[(CollationId, Seq[String])]): RequiredBounds =
    RequiredBounds(columns, CollationsConf.RelabelEnabled.isEnabled)

  /** Returns the bounds that `statistics` collects in the current version. */
  def of(statistics: StatisticsCollection): RequiredBounds =
    RequiredBounds(StatsCollector.columns(statistics).map(column => column.id -> column.path))
}
