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
import org.deltacollations.delta.scan.{ScanContext, ScanReport, ScanReports}
import org.deltacollations.delta.util.JobDescription
import org.deltacollations.errors.CollationsErrors
import org.deltacollations.protocol.{BoundsReader, CollationId, ColumnBounds, StatsBackfill}

/**
 * A row of `collation_files`: the bounds of a column in one file, in the current version of its
 * collation.
 */
final case class FileBoundsRow(
    path: String,
    min: Option[String],
    max: Option[String],
    rows: Option[Long],
    bytes: Long,
    is_read: Option[Boolean]
)

/** Inspects a Delta table by its log. Never reads data files. */
final class TableInspector private (
    session: SparkSession,
    name: Seq[String],
    table: DeltaTableV2
) {

  def status: Seq[ColumnStatus] = new StatsStatus(table.update()).status

  /** Returns how files are laid out by the columns of `status`, by their paths. */
  def layouts(status: Seq[ColumnStatus]): Map[Seq[String], ColumnLayout] =
    new LayoutStatus(table.update()).of(status)

  def numOfFiles: Long = table.update().numOfFiles

  def columns: Seq[StatsStatus.Column] = StatsStatus.columns(table.update())

  /** Plans a scan of the table without executing it. */
  final class Scan private[TableInspector] (plan: LogicalPlan) {

    private val analyzed = {
      val execution = session.sessionState.executePlan(plan)
      execution.assertAnalyzed()
      execution.analyzed
    }

    private def index: Option[PreparedDeltaFileIndex] =
      JobDescription.of(session, s"Finding the files of ${table.name()} that a query reads") {
        session.sessionState.executePlan(analyzed).optimizedPlan.collectFirst {
          case DeltaTable(prepared: PreparedDeltaFileIndex) => prepared
        }
      }

    /** Returns the report, or none if Spark scans nothing because the predicate is never true. */
    def report: Option[ScanReport] = ScanContext.countOnly(index).map(ScanReports.of)

    private[TableInspector] def filesRead: Set[String] =
      index.fold(Set.empty[String])(_.preparedScan.files.map(_.path).toSet)
  }

  /**
   * Returns the scan of a query with `predicate`.
   *
   * @throws org.apache.spark.sql.AnalysisException
   *   if the predicate is not valid for the table
   */
  def scan(predicate: String): Scan = {
    val condition = session.sessionState.sqlParser.parseExpression(predicate)
    new Scan(Filter(condition, UnresolvedRelation(name)))
  }

  /** Returns a [[FileBoundsRow]] for each file of the table. */
  def files(column: String, predicate: Option[String]): DataFrame = {
    val collated = collatedColumn(column)
    val (physicalPath, id) = (collated.schema.physicalPath, collated.statsId)
    val filesRead = predicate.map(scan(_).filesRead)
    table.update().allFiles.map((file: AddFile) =>
      TableInspector.boundsRow(file, physicalPath, id)
        .copy(is_read = filesRead.map(_.contains(file.path)))
    )(Encoders.product[FileBoundsRow]).toDF()
  }

  private def collatedColumn(name: String): StatsStatus.Column = {
    val path = session.sessionState.sqlParser.parseMultipartIdentifier(name)
    val candidates = columns
    candidates.find { candidate =>
      candidate.schema.path.size == path.size &&
      candidate.schema.path.zip(path).forall { case (one, other) => one.equalsIgnoreCase(other) }
    }.getOrElse(throw CollationsErrors.columnNotCollated(
      name,
      CollatedTypes.quoted(this.name),
      candidates.map(candidate => CollatedTypes.quoted(candidate.schema.path))
    ))
  }
}

object TableInspector {

  /** @param command the function that the user called, for the error if this is not a Delta table */
  def of(session: SparkSession, table: String, command: String): TableInspector = {
    val name = session.sessionState.sqlParser.parseMultipartIdentifier(table)
    val resolved = session.sessionState.executePlan(UnresolvedTable(name, command))
    resolved.assertAnalyzed()
    new TableInspector(session, name, DeltaTableV2.extractFrom(resolved.analyzed, command))
  }

  private def boundsRow(
      file: AddFile,
      physicalPath: Seq[String],
      id: CollationId
  ): FileBoundsRow = {
    val Seq(found) =
      new BoundsReader(Seq(ColumnBounds(physicalPath, id))).read(file.stats): @unchecked
    FileBoundsRow(
      file.path,
      found.values.headOption.map(_._1),
      found.values.headOption.map(_._2),
      StatsBackfill.numRecords(file.stats),
      file.size,
      is_read = None
    )
  }
}
