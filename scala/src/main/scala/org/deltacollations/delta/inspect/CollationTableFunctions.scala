// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.inspect

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Row, SparkSession => AnySession}

import org.deltacollations.collation.CollatedTypes
import org.deltacollations.delta.refresh.AnalyzeStatement
import org.deltacollations.delta.scan.ScanReport
import org.deltacollations.functions.{DeferredRelation, TableFunction}
import org.deltacollations.protocol.CollatedColumn

/** Declares the table functions that inspect a Delta table. They read its log and no data files. */
object CollationTableFunctions {

  val all: Seq[TableFunction.Description] = Seq(
    TableFunction("collation_columns", "table")("Lists the collated columns of a Delta table.") {
      case Seq(name) => columns(inspector("collation_columns", name))
    },
    TableFunction("collation_status", "table")(
      "Counts the files with statistics for each collated column and ICU version, and names the " +
        "command that adds missing ones."
    ) { case Seq(name) => status(inspector("collation_status", name), name) },
    TableFunction("collation_explain", "table", "predicate")(
      "Counts the files that a query with this predicate would read or skip, with the reasons."
    ) { case Seq(name, predicate) =>
      explain(inspector("collation_explain", name), name, predicate)
    },
    TableFunction("collation_files", "table", "column", "predicate")(
      "Lists the files of a table with the bounds of a collated column, and whether a query with " +
        "this predicate would read them."
    ) {
      case Seq(name, column) => files(inspector("collation_files", name), column, None)
      case Seq(name, column, predicate) =>
        files(inspector("collation_files", name), column, Some(predicate))
    }
  )

  private def inspector(function: String, table: String): TableInspector =
    TableInspector.of(AnySession.active.asInstanceOf[SparkSession], table, function)

  private def nameOf(column: CollatedColumn): String = CollatedTypes.quoted(column.path)

  private def columns(table: TableInspector): LogicalPlan =
    DeferredRelation(
      "collation_columns",
      StructType.fromDDL("column STRING NOT NULL, collation STRING NOT NULL, " +
        "position INT NOT NULL, statistics STRING NOT NULL, files BIGINT NOT NULL, " +
        "files_usable BIGINT NOT NULL")
    ) {
      table.status.filter(_.isCurrent).map { row =>
        val statistics =
          if (row.version.isEmpty) ColumnStatus.UnknownCollation
          else if (row.status.startsWith(ColumnStatus.NotCollected))
            row.status.stripPrefix(ColumnStatus.NotCollected)
          else "collected"
        val column = row.column
        Row(
          nameOf(column),
          column.identifier,
          column.position,
          statistics,
          row.inTable.files,
          row.covered.files
        )
      }
    }

  private def status(table: TableInspector, name: String): LogicalPlan =
    DeferredRelation(
      "collation_status",
      StructType.fromDDL(
        "column STRING NOT NULL, collation STRING NOT NULL, statistics_collation STRING, " +
          "version STRING, is_current BOOLEAN NOT NULL, status STRING NOT NULL, command STRING, " +
          Seq(
            "files",
            "files_covered",
            "files_other_version",
            "files_missing",
            "rows_covered",
            "rows_other_version",
            "rows_missing",
            "bytes_covered",
            "bytes_other_version",
            "bytes_missing",
            "files_to_relabel",
            "files_to_read",
            "bytes_to_read"
          ).map(_ + " BIGINT NOT NULL").mkString(", ") + ", lookup_share DOUBLE"
      )
    ) {
      val statuses = table.status
      val layouts = table.layouts(statuses)
      statuses.map { row =>
        val totals = Seq(row.covered, row.otherVersion, row.missing)
        val layout = layouts.get(row.column.path).filter(_ => row.isCurrent)
        val overlapping =
          layout.filter(each => row.status == ColumnStatus.Healthy && each.clause.isDefined)
        Row.fromSeq(
          Seq[Any](
            nameOf(row.column),
            row.column.identifier,
            row.statistics.map(_.toString).orNull,
            row.version.orNull,
            row.isCurrent,
            overlapping.fold(row.status)(_.status),
            if (row.needsRefresh) refreshCommand(name)
            else overlapping.flatMap(_.clause).map(clause => s"OPTIMIZE $name $clause").orNull,
            row.inTable.files
          ) ++ totals.map(_.files) ++ totals.map(_.rows) ++ totals.map(_.bytes) ++
            Seq(row.relabeled.files, row.read.files, row.read.bytes) :+
            layout.map(each => Double.box(each.lookupShare)).orNull
        )
      }
    }

  private def refreshCommand(table: String): String = AnalyzeStatement.Name.replace("…", table)

  private def explain(table: TableInspector, name: String, predicate: String): LogicalPlan = {
    val scan = table.scan(predicate)
    DeferredRelation(
      "collation_explain",
      StructType.fromDDL(
        "outcome STRING NOT NULL, files BIGINT NOT NULL, reason STRING NOT NULL, command STRING"
      )
    ) {
      scan.report.fold(
        Seq(Row("not scanned", table.numOfFiles, "no row can make the predicate true", null))
      )(outcomes(table, name, _))
    }
  }

  private def outcomes(table: TableInspector, name: String, report: ScanReport): Seq[Row] = {
    lazy val needsRefresh = table.status.exists(_.needsRefresh)
    val bounds = report.otherBounds.map(_.bounds).distinct
    val inOther = if (bounds.isEmpty) "" else bounds.mkString(" in ", " and ", "")
    val pruned = Seq(
      ("partition", report.prunedByPartition, "no row in their partitions can match"),
      ("binary statistics", report.prunedByBinary, "no row between their bounds can match"),
      (
        "collated statistics",
        report.prunedByCollated,
        s"no row between their bounds$inOther can match"
      )
    ).map { case (by, files, reason) => Row(s"pruned by $by", files, reason, null) }
    val readForReason = report.reasons.map { case ScanReport.Reason(files, reason) =>
      val isFixable = ScanReport.FixableByRefresh(reason) && needsRefresh
      Row("read", files, reason, if (isFixable) refreshCommand(name) else null)
    }
    val remaining = report.read - report.reasons.map(_.files).sum
    val mayMatch = Row("read", remaining, "a row may match", null)
    pruned ++
      (if (remaining > 0 || readForReason.isEmpty) mayMatch +: readForReason else readForReason)
  }

  private def files(
      table: TableInspector,
      column: String,
      predicate: Option[String]
  ): LogicalPlan = table.files(column, predicate).queryExecution.analyzed
}
