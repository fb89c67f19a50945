// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.schema

import org.apache.spark.sql.delta.schema.SchemaUtils
import org.apache.spark.sql.delta.skipping.clustering.ClusteringColumnInfo
import org.apache.spark.sql.delta.stats.{DeltaStatistics, StatisticsCollection}

import org.deltacollations.collation.CollatedString
import org.deltacollations.patch.{Hook, HookKind}

/**
 * Allows tables to be clustered by a collated column, which Delta rejects because it does not collect
 * a minimum for the column. `OPTIMIZE` then splits files in the order of the collation, so strings that
 * are equal under the collation are stored together.
 *
 * As for other types, Delta must collect statistics for the column. It collects the null count for
 * exactly these columns.
 */
private[delta] object ClusteringColumnCheck {

  val hook: Hook = Hook(
    name = "cluster-by",
    className = "org.apache.spark.sql.delta.skipping.clustering.ClusteredTableUtilsBase",
    method = "getClusteringColumnsNotInStatsSchema",
    signatures = Seq("(sql.delta.stats.StatisticsCollection, immutable.Seq): immutable.Seq"),
    kind = HookKind.ReplaceResult,
    degradation = "tables cannot be clustered by a collated column",
    replace = call => {
      val statistics = call.arguments(0).asInstanceOf[StatisticsCollection]
      val columns = call.arguments(1).asInstanceOf[Seq[ClusteringColumnInfo]]
      val accepted = columns.filter(hasStats(_, statistics)).map(_.logicalName).toSet
      call.value.asInstanceOf[Seq[String]].filterNot(accepted)
    }
  )

  private def hasStats(column: ClusteringColumnInfo, statistics: StatisticsCollection): Boolean =
    CollatedString.unapply(column.dataType).isDefined &&
      SchemaUtils.findNestedFieldIgnoreCase(
        statistics.statsSchema,
        DeltaStatistics.NULL_COUNT +: column.physicalName
      ).isDefined
}
