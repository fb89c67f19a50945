// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.scan

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.read.streaming.SparkDataStream
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.collection.BitSet

/**
 * Spark's own file scan, which also shows how many files were skipped, and why others are read, in
 * `EXPLAIN` and in the SQL metrics.
 */
final class ReportingFileSourceScanExec(
    relation: HadoopFsRelation,
    stream: Option[SparkDataStream],
    output: Seq[Attribute],
    requiredSchema: StructType,
    partitionFilters: Seq[Expression],
    optionalBucketSet: Option[BitSet],
    optionalNumCoalescedBuckets: Option[Int],
    dataFilters: Seq[Expression],
    tableIdentifier: Option[TableIdentifier],
    disableBucketedScan: Boolean
)(val report: ScanReport)
    extends FileSourceScanExec(
      relation,
      stream,
      output,
      requiredSchema,
      partitionFilters,
      optionalBucketSet,
      optionalNumCoalescedBuckets,
      dataFilters,
      tableIdentifier,
      disableBucketedScan
    ) {

  /** The same scan without a report, because an overridden lazy value cannot call `super`. */
  @transient private lazy val withoutReport: FileSourceScanExec = copy()

  override lazy val metadata: Map[String, String] = withoutReport.metadata ++ report.metadata

  override lazy val driverMetrics: Map[String, SQLMetric] =
    withoutReport.driverMetrics ++
      report.metrics.map { case (name, _) => name -> SQLMetrics.createMetric(sparkContext, name) }

  /** Sets the metrics here, because Spark resets them all before a query runs. */
  override protected def sendDriverMetrics(): Unit = {
    report.metrics.foreach { case (name, value) => driverMetrics(name).set(value) }
    super.sendDriverMetrics()
  }

  override protected def otherCopyArgs: Seq[AnyRef] = Seq(report)

  /** Differs from the scan that it replaces: if both were equal, Spark would keep that one. */
  override def equals(other: Any): Boolean = other match {
    case scan: ReportingFileSourceScanExec => super.equals(scan) && report == scan.report
    case _ => false
  }

  override def canEqual(other: Any): Boolean = other.isInstanceOf[ReportingFileSourceScanExec]

  override def hashCode: Int = super.hashCode
}

/** Replaces each file scan that has a report by one that shows the report. */
object AttachScanReports extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan = plan.transformUp {
    case scan: FileSourceScanExec if !scan.isInstanceOf[ReportingFileSourceScanExec] =>
      ScanReports.get(scan.relation.location).fold(scan) { report =>
        val reporting = new ReportingFileSourceScanExec(
          scan.relation,
          scan.stream,
          scan.output,
          scan.requiredSchema,
          scan.partitionFilters,
          scan.optionalBucketSet,
          scan.optionalNumCoalescedBuckets,
          scan.dataFilters,
          scan.tableIdentifier,
          scan.disableBucketedScan
        )(report)
        reporting.copyTagsFrom(scan)
        reporting
      }
  }
}
