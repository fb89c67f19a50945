// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.delta.stats.DataSkippingReaderBase
import org.apache.spark.sql.delta.{DeltaColumnMapping, Snapshot}
import org.apache.spark.sql.functions.{col, greatest, lit, not}
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.{Column, SparkSession}

import org.deltacollations.collation.CollatedTypes
import org.deltacollations.delta.scan.{
  BoundsUse,
  FileOutcomeAccumulator,
  PredicateResult,
  ScanContext
}
import org.deltacollations.delta.util.ColumnConversions
import org.deltacollations.patch.{Hook, HookKind}
import org.deltacollations.protocol.StatsNames

/**
 * Evaluates the collated predicates in Delta's filter of files on the bounds of the files, and counts
 * the outcome of each file, in Delta's own pass over the log.
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
      if (collatedPredicates(filter).isEmpty || !BoundsColumn.exists(files)) predicate
      else {
        val outcomes = new FileOutcomeAccumulator
        val boundsUse = new BoundsUse
        SparkSession.active.sparkContext.register(outcomes)
        SparkSession.active.sparkContext.register(boundsUse.accumulator)
        ScanContext.get.outcomes = Some(outcomes)
        ScanContext.get.boundsUse = Some(boundsUse)
        DataSkippingAccess.predicate(evaluated(files, predicate, filter, outcomes, boundsUse))
      }
    }
  )

  private def collatedPredicates(filter: Expression): Seq[CollatedSkippingPredicate] =
    filter.collect { case condition: CollatedSkippingPredicate => condition }

  /**
   * Binds the collated predicates of `filter` to the bounds of the files.
   *
   * A collated predicate is never below a negation, so it can only skip files: with `true` in its
   * place, the filter is what Delta alone would use.
   *
   * The check that a file has the statistics of Delta's own part is added here too. If Delta added
   * it, the filter could be null; Spark evaluates a nullable filter twice, and every file would be
   * counted twice.
   */
  private def evaluated(
      files: DataSkippingReaderBase,
      predicate: AnyRef,
      filter: Expression,
      outcomes: FileOutcomeAccumulator,
      boundsUse: BoundsUse
  ): Column = {
    val results = collatedPredicates(filter).map { condition =>
      condition -> result(files, condition, boundsUse)
    }.toMap
    val hasNoStats = not(DataSkippingAccess.hasStats(files, predicate))
    def filtered(replace: CollatedSkippingPredicate => Expression): Expression = {
      val replaced = filter.transform { case condition: CollatedSkippingPredicate =>
        replace(condition)
      }
      ColumnConversions.expression(ColumnConversions.of(replaced) || hasNoStats)
    }
    ColumnConversions.of(RecordFileOutcome(
      filtered { condition =>
        ColumnConversions.expression(results(condition) =!= lit(PredicateResult.CannotMatch))
      },
      filtered(_ => Literal.TrueLiteral),
      ColumnConversions.expression(results.values.reduce((left, right) => greatest(left, right))),
      outcomes
    ))
  }

  private def result(
      files: DataSkippingReaderBase,
      condition: CollatedSkippingPredicate,
      boundsUse: BoundsUse
  ): Column = {
    val snapshot = files.asInstanceOf[Any].asInstanceOf[Snapshot]
    def statistic(name: String, column: Seq[String]): Expression =
      ColumnConversions.expression(DataSkippingAccess.statistic(files, name, column.reverse))
    physicalPath(snapshot.metadata.schema, condition.column)
      .fold(lit(PredicateResult.NoStatistics)) { path =>
        ColumnConversions.of(EvaluateSkippingPredicate(
          ColumnConversions.expression(col(BoundsColumn.Column)),
          statistic(StatsNames.NullCount, condition.column),
          statistic(StatsNames.NumRecords, Nil),
          path,
          condition.alternatives.map { alternative =>
            alternative -> boundsUse.indexOf(
              CollatedTypes.quoted(condition.column),
              condition.compared,
              alternative.collation.name
            )
          },
          boundsUse.accumulator
        ))
      }
  }

  /** Returns the physical names of a column, or nothing if the table has no such column. */
  private def physicalPath(schema: DataType, column: Seq[String]): Option[Seq[String]] =
    (schema, column) match {
      case (_, Nil) => Some(Nil)
      case (struct: StructType, name +: inner) =>
        struct.fields.find(_.name.equalsIgnoreCase(name)).flatMap { field =>
          physicalPath(field.dataType, inner).map(DeltaColumnMapping.getPhysicalName(field) +: _)
        }
      case _ => None
    }
}
