// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats

import org.apache.spark.sql.Column
import org.apache.spark.sql.delta.stats.StatisticsCollection
import org.apache.spark.sql.types.StructField

import org.deltacollations.collation.{BinaryOrder, CollatedString}
import org.deltacollations.delta.util.ColumnConversions
import org.deltacollations.expressions.{CollatedMinMax, MinOrMax}
import org.deltacollations.patch.{Hook, HookKind}
import org.deltacollations.protocol.StatsNames

/**
 * Collects the bounds of collated columns in binary order as well, in the fields where Delta has the
 * bounds of `UTF8_BINARY` strings. Readers without collations, and filters in binary order, can skip
 * files by them. Filters in a collation never use them.
 */
private[delta] object BinaryBounds {

  private type Collect = PartialFunction[(Column, StructField, Boolean), Column]

  val hook: Hook = Hook(
    name = "binary-bounds",
    className = "org.apache.spark.sql.delta.stats.StatisticsCollection",
    method = "collectStats",
    signatures = Seq(
      "(java.lang.String, sql.types.StructType, boolean, scala.PartialFunction): sql.Column"
    ),
    kind = HookKind.ReplaceArgument(3),
    degradation = "collated columns have no bounds in binary order",
    replace = call => {
      val statistics = call.receiver.asInstanceOf[StatisticsCollection]
      val collect = call.value.asInstanceOf[Collect]
      if (!StatsCollector.isEnabled(statistics)) collect
      else
        call.arguments(0) match {
          case StatsNames.Min => collectBinary(statistics, MinOrMax.Min).orElse(collect)
          case StatsNames.Max => collectBinary(statistics, MinOrMax.Max).orElse(collect)
          case _ => collect
        }
    }
  )

  private def collectBinary(statistics: StatisticsCollection, minOrMax: MinOrMax): Collect = {
    case (column, StructField(_, CollatedString(_), _, _), true) =>
      // Do not cast to UTF8_BINARY: this plan is not optimized, and the cast would decode and encode
      // every value.
      val value = CollatedMinMax(ColumnConversions.expression(column), BinaryOrder, minOrMax)
        .toAggregateExpression()
      val prefix = StatisticsCollectionAccess.stringPrefixLength(statistics)
      ColumnConversions.of(TruncateBound(value, prefix, BinaryOrder, minOrMax))
  }
}
