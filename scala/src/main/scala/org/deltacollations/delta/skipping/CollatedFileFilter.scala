// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.delta.stats.DataSkippingReaderBase
import org.apache.spark.sql.delta.{DeltaColumnMapping, Snapshot}
import org.apache.spark.sql.functions.not
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
import org.deltacollations.protocol.{ColumnBounds, StatsNames}

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
    requires = Set("skipping-data-filters", "skipping-bounds-column", "skipping-bounds-cache"),
    replace = call => {
      val files = call.receiver.asInstanceOf[DataSkippingReaderBase]
      val predicate = call.value
      val filter = ColumnConversions.expression(DataSkippingAccess.filter(predicate))
      val bound = boundPredicates(files, filter)
      if (bound.isEmpty || !FilesWithBounds.load(files, bound.flatMap(_.bounds))) predicate
      else {
        val outcomes = new FileOutcomeAccumulator
        val boundsUse = new BoundsUse
        SparkSession.active.sparkContext.register(outcomes)
        SparkSession.active.sparkContext.register(boundsUse.accumulator)
        ScanContext.get.outcomes = Some(outcomes)
        ScanContext.get.boundsUse = Some(boundsUse)
        val evaluated = new Evaluated(files, bound, boundsUse)
        DataSkippingAccess.predicate(evaluated.filter(predicate, filter, outcomes))
      }
    }
  )

  /**
   * A collated predicate on the columns of a table.
   *
   * @param column
   *   the physical path of the column; none if the table has no such column
   */
  final private case class BoundPredicate(
      condition: CollatedSkippingPredicate,
      column: Option[Seq[String]]
  ) {

    /** The bounds that the predicate uses, in the order of its alternatives. */
    def bounds: Seq[ColumnBounds] =
      column.toSeq.flatMap(path => condition.alternatives.map(a => ColumnBounds(path, a.collation)))
  }

  private def boundPredicates(
      files: DataSkippingReaderBase,
      filter: Expression
  ): Seq[BoundPredicate] =
    filter.collect { case condition: CollatedSkippingPredicate => condition }.distinct
      .map { condition =>
        val schema = files.asInstanceOf[Any].asInstanceOf[Snapshot].metadata.schema
        BoundPredicate(condition, physicalPath(schema, condition.column))
      }

  /** Evaluates collated predicates on the bounds of the files, each once per file. */
  final private class Evaluated(
      files: DataSkippingReaderBase,
      predicates: Seq[BoundPredicate],
      boundsUse: BoundsUse
  ) {

    /**
     * Replaces the collated predicates of `filter` by their results.
     *
     * A collated predicate is never below a negation, so it can only skip files: with `true` in its
     * place, the filter is what Delta alone would use.
     *
     * The check that a file has the statistics of Delta's own part is added here too. If Delta added
     * it, the filter could be null; Spark evaluates a nullable filter twice, and every file would be
     * counted twice.
     */
    def filter(predicate: AnyRef, filter: Expression, outcomes: FileOutcomeAccumulator): Column = {
      val current = new Array[Int](predicates.size)
      val hasNoStats = not(DataSkippingAccess.hasStats(files, predicate))
      def filtered(replace: CollatedSkippingPredicate => Expression): Expression = {
        val replaced = filter.transform { case condition: CollatedSkippingPredicate =>
          replace(condition)
        }
        ColumnConversions.expression(ColumnConversions.of(replaced) || hasNoStats)
      }
      ColumnConversions.of(RecordFileOutcome(
        filtered(_ => Literal.TrueLiteral),
        predicates.map(result),
        filtered { condition =>
          MayMatchResult(current, predicates.indexWhere(_.condition == condition))
        },
        current,
        outcomes
      ))
    }

    private def result(predicate: BoundPredicate): Expression = {
      val condition = predicate.condition
      predicate.column.fold[Expression](Literal(PredicateResult.NoStatistics)) { _ =>
        EvaluateSkippingPredicate(
          predicate.bounds.map(bounds =>
            ColumnConversions.expression(FilesWithBounds.column(bounds))
          ),
          statistic(StatsNames.NullCount, condition.column),
          statistic(StatsNames.NumRecords, Nil),
          condition.alternatives.map { alternative =>
            alternative -> boundsUse.indexOf(
              CollatedTypes.quoted(condition.column),
              condition.compared,
              alternative.collation.name
            )
          },
          boundsUse.accumulator
        )
      }
    }

    private def statistic(name: String, column: Seq[String]): Expression =
      ColumnConversions.expression(DataSkippingAccess.statistic(files, name, column.reverse))
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
