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

/** The table functions of this library. All but the last look at a Delta table, by its log alone. */
object CollationTableFunctions {

  val all: Seq[TableFunction.Description] = Seq(
    TableFunction("collation_columns", "table")("Lists the collated columns of a Delta table.") {
      case Seq(name) => columns(table("collation_columns", name))
    },
    TableFunction("collation_status", "table")(
      "Says of each collated column and version how many files have its statistics, and what to do."
    ) { case Seq(name) => status(table("collation_status", name), name) },
    TableFunction("collation_explain", "table", "predicate")(
      "Says which files a query with this predicate would read or leave out, and why."
    ) { case Seq(name, predicate) => explain(table("collation_explain", name), name, predicate) },
    TableFunction("collation_files", "table", "column", "predicate")(
      "Lists the files of a table with the bounds of a collated column, and which would be read."
    ) {
      case Seq(name, column) => files(table("collation_files", name), column, None)
      case Seq(name, column, predicate) =>
        files(table("collation_files", name), column, Some(predicate))
    }
  )

  private def table(function: String, name: String): TableInspector =
    TableInspector.of(AnySession.active.asInstanceOf[SparkSession], name, function)

  private def named(column: CollatedColumn): String = CollatedTypes.quoted(column.path)

  private def columns(table: TableInspector): LogicalPlan =
    DeferredRelation(
      "collation_columns",
      StructType.fromDDL("column STRING NOT NULL, collation STRING NOT NULL, " +
        "position INT NOT NULL, statistics STRING NOT NULL, files BIGINT NOT NULL, " +
        "files_usable BIGINT NOT NULL")
    ) {
      table.status.filter(_.isRunning).map { row =>
        val statistics =
          if (row.version.isEmpty) ColumnStatus.UnknownCollation
          else if (row.verdict.startsWith(ColumnStatus.NoStatistics))
            row.verdict.stripPrefix(ColumnStatus.NoStatistics)
          else "collected"
        val column = row.column
        Row(
          named(column),
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
        "column STRING NOT NULL, collation STRING NOT NULL, version STRING, " +
          "is_current BOOLEAN NOT NULL, status STRING NOT NULL, command STRING, " +
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
          ).map(_ + " BIGINT NOT NULL").mkString(", ")
      )
    ) {
      table.status.map { row =>
        val extents = Seq(row.covered, row.otherVersion, row.missing)
        Row.fromSeq(
          Seq[Any](
            named(row.column),
            row.column.identifier,
            row.version.orNull,
            row.isRunning,
            row.verdict,
            if (row.needsRefresh) refresh(name) else null,
            row.inTable.files
          ) ++ extents.map(_.files) ++ extents.map(_.rows) ++ extents.map(_.bytes) ++
            Seq(row.relabeled.files, row.read.files, row.read.bytes)
        )
      }
    }

  private def refresh(table: String): String =
    AnalyzeStatement.Name.replace("…", table)

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
    lazy val isHelped = table.status.exists(_.needsRefresh)
    val pruned = Seq(
      ("partition", report.prunedByPartition, "no row in their partitions can match"),
      ("binary statistics", report.prunedByBinary, "no row between their bounds can match"),
      ("collated statistics", report.prunedByCollated, "no row between their bounds can match")
    ).map { case (means, files, because) => Row(s"pruned by $means", files, because, null) }
    val read = report.reasons.map { reason =>
      val isMended = ScanReport.FixableByRefresh(reason.reason) && isHelped
      Row("read", reason.files, reason.reason, if (isMended) refresh(name) else null)
    }
    val unexplained = report.read - report.reasons.map(_.files).sum
    val matching = Row("read", unexplained, "a row may match", null)
    pruned ++ (if (unexplained > 0 || read.isEmpty) matching +: read else read)
  }

  private def files(
      table: TableInspector,
      column: String,
      predicate: Option[String]
  ): LogicalPlan = table.files(column, predicate).queryExecution.analyzed
}
