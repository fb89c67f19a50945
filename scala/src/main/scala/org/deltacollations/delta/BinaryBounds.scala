// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta

import org.apache.spark.sql.Column
import org.apache.spark.sql.delta.DeltaUDF
import org.apache.spark.sql.delta.stats.StatisticsCollection
import org.apache.spark.sql.functions.substring
import org.apache.spark.sql.types.{StringType, StructField}

import org.deltacollations.CollationsConf
import org.deltacollations.catalyst.{CollatedString, Columns}
import org.deltacollations.order.ByteOrder
import org.deltacollations.protocol.StatsNames
import org.deltacollations.stats.{End, Extreme}

/**
 * Collects the bounds of collated columns in the order of bytes too, where Delta has those of plain
 * strings, and shortened as they are. Readers that know no collation, and comparisons that ask for
 * bytes, can skip by them; a collated comparison never does.
 */
private[delta] object BinaryBounds {

  private type Collect = PartialFunction[(Column, StructField, Boolean), Column]

  val hook: Hook = Hook(
    name = "binary-bounds",
    className = "org.apache.spark.sql.delta.stats.StatisticsCollection",
    method = "collectStats",
    shape = HookShape.ReplaceArgument(3),
    withoutIt = "collated columns have no bounds in the order of bytes",
    answer = call => {
      val statistics = call.receiver.asInstanceOf[StatisticsCollection]
      val others = call.value.asInstanceOf[Collect]
      if (!CollationsConf.StatsEnabled.isOn) others
      else
        call.arguments(0) match {
          case StatsNames.Min => smallest(statistics).orElse(others)
          case StatsNames.Max => largest(statistics).orElse(others)
          case _ => others
        }
    }
  )

  private def smallest(statistics: StatisticsCollection): Collect = {
    case (column, StructField(_, CollatedString(_), _, _), true) =>
      val prefix = OpenStatistics.stringPrefixLength(statistics)
      substring(extreme(column, End.Smallest), 0, prefix)
  }

  private def largest(statistics: StatisticsCollection): Collect = {
    case (column, StructField(_, CollatedString(_), _, _), true) =>
      val prefix = OpenStatistics.stringPrefixLength(statistics)
      DeltaUDF.stringFromString(StatisticsCollection.truncateMaxStringAgg(prefix)(_))
        .apply(extreme(column, End.Largest))
  }

  private def extreme(column: Column, end: End): Column =
    Columns.of(
      Extreme(Columns.expression(column.cast(StringType)), ByteOrder, end).toAggregateExpression()
    )
}
