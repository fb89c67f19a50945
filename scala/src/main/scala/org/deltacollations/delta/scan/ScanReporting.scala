// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.scan

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}

/**
 * A file scan that also shows how many files were skipped, and why others are read, in `EXPLAIN` and in
 * the SQL metrics.
 */
trait ScanReporting extends FileSourceScanExec {

  def report: ScanReport

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
    case scan: ScanReporting => super.equals(scan) && report == scan.report
    case _ => false
  }

  override def canEqual(other: Any): Boolean = other.isInstanceOf[ScanReporting]

  override def hashCode: Int = super.hashCode
}

/** Replaces each file scan that has a report by one that shows the report. */
object AttachScanReports extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan = plan.transformUp {
    case scan: FileSourceScanExec if !scan.isInstanceOf[ScanReporting] =>
      ScanReports.get(scan.relation.location).fold(scan) { report =>
        val reporting = ReportingFileSourceScanExec(scan, report)
        reporting.copyTagsFrom(scan)
        reporting
      }
  }
}
