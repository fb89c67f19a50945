// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.delta.stats.DataSkippingReaderBase
import org.apache.spark.sql.delta.{DeltaColumnMapping, Snapshot}
import org.apache.spark.sql.functions.{col, greatest, lit, not}
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.{Column, SparkSession}

import org.deltacollations.delta.patch.{Hook, HookKind}
import org.deltacollations.delta.scan.{FileOutcomeAccumulator, PredicateResult, ScanContext}
import org.deltacollations.delta.util.ColumnConversions
import org.deltacollations.protocol.StatsNames

/**
 * Lets the collated conditions in Delta's filter of files be answered by the bounds of the files, and
 * counts what becomes of each, in the one pass that Delta makes over the log.
 */
private[delta] object CollatedFileFilter {

  val hook: Hook = Hook(
    name = "skipping-file-filter",
    className = "org.apache.spark.sql.delta.stats.DataSkippingReaderBase",
    method = "getDataSkippedFiles",
    signatures = Seq(
      "(sql.Column, sql.delta.stats.DataSkippingPredicate, boolean): scala.Tuple2"
    ),
    kind = HookKind.ReplaceArgument(1),
    degradation = "files are not skipped by filters on collated columns",
    requires = Set("skipping-data-filters", "skipping-bounds-column"),
    replace = call => {
      val files = call.receiver.asInstanceOf[DataSkippingReaderBase]
      val predicate = call.value
      val filter = ColumnConversions.expression(DataSkippingAccess.filter(predicate))
      if (!asksCollations(filter) || !BoundsColumn.areBeside(files)) predicate
      else {
        val counts = new FileOutcomeAccumulator
        SparkSession.active.sparkContext.register(counts)
        ScanContext.counting(counts)
        DataSkippingAccess.predicate(counted(files, predicate, filter, counts))
      }
    }
  )

  private def asksCollations(filter: Expression): Boolean =
    filter.exists(_.isInstanceOf[CollatedSkippingPredicate])

  /**
   * A collated condition never stands below a negation, so it can only take files away: with `true`
   * in its place, the filter is what Delta would do alone.
   *
   * Whether Delta's own part can be answered is asked here too. Were it left to Delta, the filter
   * could be null, and Spark asks a filter twice that could be null, and each file was counted twice.
   */
  private def counted(
      files: DataSkippingReaderBase,
      predicate: AnyRef,
      filter: Expression,
      counts: FileOutcomeAccumulator
  ): Column = {
    val verdicts = filter.collect { case condition: CollatedSkippingPredicate =>
      condition -> verdict(files, condition)
    }.toMap
    val isUnanswerable = not(DataSkippingAccess.isAnswerable(files, predicate))
    def filtered(answer: CollatedSkippingPredicate => Expression): Expression = {
      val answered = filter.transform { case condition: CollatedSkippingPredicate =>
        answer(condition)
      }
      ColumnConversions.expression(ColumnConversions.of(answered) || isUnanswerable)
    }
    ColumnConversions.of(RecordFileOutcome(
      filtered { condition =>
        ColumnConversions.expression(verdicts(condition) =!= lit(PredicateResult.CannotMatch))
      },
      filtered(_ => Literal.TrueLiteral),
      ColumnConversions.expression(verdicts.values.reduce((left, right) => greatest(left, right))),
      counts
    ))
  }

  private def verdict(
      files: DataSkippingReaderBase,
      condition: CollatedSkippingPredicate
  ): Column = {
    val snapshot = files.asInstanceOf[Any].asInstanceOf[Snapshot]
    val reversed = condition.column.reverse
    physical(snapshot.metadata.schema, condition.column)
      .fold(lit(PredicateResult.NoStatistics)) { path =>
        ColumnConversions.of(condition.judged(
          path,
          bounds = ColumnConversions.expression(col(BoundsColumn.Column)),
          nulls = ColumnConversions.expression(DataSkippingAccess.statistic(
            files,
            StatsNames.NullCount,
            reversed
          )),
          rows = ColumnConversions.expression(DataSkippingAccess.statistic(
            files,
            StatsNames.NumRecords,
            Nil
          ))
        ))
      }
  }

  /** The names that files know a column by; none, if the table has no such column. */
  private def physical(schema: DataType, column: Seq[String]): Option[Seq[String]] =
    (schema, column) match {
      case (_, Nil) => Some(Nil)
      case (struct: StructType, name +: inner) =>
        struct.fields.find(_.name.equalsIgnoreCase(name)).flatMap { field =>
          physical(field.dataType, inner).map(DeltaColumnMapping.getPhysicalName(field) +: _)
        }
      case _ => None
    }
}
