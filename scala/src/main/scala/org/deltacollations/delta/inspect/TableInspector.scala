// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.inspect

import org.apache.spark.sql.catalyst.analysis.{UnresolvedRelation, UnresolvedTable}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.delta.DeltaTable
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.catalog.DeltaTableV2
import org.apache.spark.sql.delta.stats.PreparedDeltaFileIndex
import org.apache.spark.sql.{DataFrame, Encoders}

import org.deltacollations.collation.CollatedTypes
import org.deltacollations.delta.scan.{ScanContext, ScanHooks, ScanReport}
import org.deltacollations.delta.util.JobDescription
import org.deltacollations.errors.CollationsErrors
import org.deltacollations.protocol.{ColumnBounds, StatsBackfill}

/**
 * The bounds of a column in one file, in the running version of its collation; none, if there are no
 * such.
 */
final case class FileBoundsRow(
    path: String,
    min: Option[String],
    max: Option[String],
    rows: Option[Long],
    bytes: Long,
    is_read: Option[Boolean]
)

/** A Delta table that someone wants to know about. Its data is never read. */
final class TableInspector private (
    session: SparkSession,
    name: Seq[String],
    table: DeltaTableV2
) {

  def status: Seq[ColumnStatus] = new StatsStatus(table.update()).status

  def numOfFiles: Long = table.update().numOfFiles

  def columns: Seq[StatsStatus.Column] = StatsStatus.columns(table.update())

  /** What would become of the files if someone asked for the rows that meet a predicate. */
  final class Scan private[TableInspector] (plan: LogicalPlan) {

    private val analyzed = {
      val execution = session.sessionState.executePlan(plan)
      execution.assertAnalyzed()
      execution.analyzed
    }

    private def index: Option[PreparedDeltaFileIndex] =
      JobDescription.of(session, s"Looking for the files to read of ${table.name()}") {
        session.sessionState.executePlan(analyzed).optimizedPlan.collectFirst {
          case DeltaTable(prepared: PreparedDeltaFileIndex) => prepared
        }
      }

    /** None where nothing is scanned, because the predicate can never be true. */
    def report: Option[ScanReport] = ScanHooks.of(index).map(ScanContext.ofAny)

    private[TableInspector] def filesRead: Set[String] =
      index.fold(Set.empty[String])(_.preparedScan.files.map(_.path).toSet)
  }

  /** Fails if the predicate cannot be asked of the table. */
  def scan(predicate: String): Scan = {
    val condition = session.sessionState.sqlParser.parseExpression(predicate)
    new Scan(Filter(condition, UnresolvedRelation(name)))
  }

  /** The files of the table, one row each, with the bounds of a column. */
  def files(column: String, predicate: Option[String]): DataFrame = {
    val asked = collated(column)
    val physical = asked.schema.physical
    val read = predicate.map(scan(_).filesRead)
    val (wanted, version) = (ColumnBounds.folded(asked.searched), asked.searched.version)
    table.update().allFiles.map((file: AddFile) =>
      TableInspector.bound(file, physical, wanted, version)
        .copy(is_read = read.map(_.contains(file.path)))
    )(Encoders.product[FileBoundsRow]).toDF()
  }

  private def collated(column: String): StatsStatus.Column = {
    val path = session.sessionState.sqlParser.parseMultipartIdentifier(column)
    val known = columns
    known.find { candidate =>
      candidate.schema.path.size == path.size &&
      candidate.schema.path.zip(path).forall { case (one, other) => one.equalsIgnoreCase(other) }
    }.getOrElse(throw CollationsErrors.columnNotCollated(
      column,
      CollatedTypes.spelled(name),
      known.map(candidate => CollatedTypes.spelled(candidate.schema.path))
    ))
  }
}

object TableInspector {

  /** @param command what the user called, for the error that says this is no Delta table */
  def of(session: SparkSession, text: String, command: String): TableInspector = {
    val name = session.sessionState.sqlParser.parseMultipartIdentifier(text)
    val resolved = session.sessionState.executePlan(UnresolvedTable(name, command))
    resolved.assertAnalyzed()
    new TableInspector(session, name, DeltaTableV2.extractFrom(resolved.analyzed, command))
  }

  private def bound(
      file: AddFile,
      physical: Seq[String],
      wanted: String,
      version: Option[String]
  ): FileBoundsRow = {
    val bounds = ColumnBounds.read(file.stats, Seq(physical)).find { found =>
      ColumnBounds.folded(found.collation) == wanted && found.collation.version == version
    }
    FileBoundsRow(
      file.path,
      bounds.map(_.min),
      bounds.map(_.max),
      StatsBackfill.rows(file.stats),
      file.size,
      is_read = None
    )
  }
}
