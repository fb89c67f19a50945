// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats

import org.apache.spark.sql.Column
import org.apache.spark.sql.delta.stats.StatisticsCollection
import org.apache.spark.sql.types.StructField

import org.deltacollations.collation.{BinaryOrder, CollatedString}
import org.deltacollations.delta.patch.{Hook, HookKind}
import org.deltacollations.delta.util.ColumnConversions
import org.deltacollations.expressions.{CollatedMinMax, MinOrMax}
import org.deltacollations.protocol.StatsNames

/**
 * Collects the bounds of collated columns in the order of bytes too, where Delta has those of plain
 * strings. Readers that know no collation, and comparisons that ask for bytes, can skip by them; a
 * collated comparison never does.
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
      val others = call.value.asInstanceOf[Collect]
      if (!StatsCollector.isWanted(statistics)) others
      else
        call.arguments(0) match {
          case StatsNames.Min => collected(statistics, MinOrMax.Min).orElse(others)
          case StatsNames.Max => collected(statistics, MinOrMax.Max).orElse(others)
          case _ => others
        }
    }
  )

  private def collected(statistics: StatisticsCollection, end: MinOrMax): Collect = {
    case (column, StructField(_, CollatedString(_), _, _), true) =>
      // No cast to a plain string: unoptimised, as here, it decodes and encodes every value.
      val extreme = CollatedMinMax(ColumnConversions.expression(column), BinaryOrder, end)
      val prefix = StatisticsCollectionAccess.stringPrefixLength(statistics)
      ColumnConversions.of(TruncateBound(extreme.toAggregateExpression(), prefix, BinaryOrder, end))
  }
}
