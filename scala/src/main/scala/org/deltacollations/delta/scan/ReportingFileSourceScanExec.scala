// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.scan

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.read.streaming.SparkDataStream
import org.apache.spark.sql.execution.datasources.{FileIndex, HadoopFsRelation}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.collection.BitSet

/** Spark's own scan of files, which also shows which of them were left out, and why not others. */
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

  /** What Spark shows of the same scan; a lazy value that is overridden cannot be asked for itself. */
  @transient private lazy val plain: FileSourceScanExec = copy()

  override lazy val metadata: Map[String, String] = plain.metadata ++ report.facts

  override lazy val driverMetrics: Map[String, SQLMetric] =
    plain.driverMetrics ++
      report.figures.map { case (name, _) => name -> SQLMetrics.createMetric(sparkContext, name) }

  /** Spark sets all metrics to nothing before a query runs, so they are filled only now. */
  override protected def sendDriverMetrics(): Unit = {
    report.figures.foreach { case (name, figure) => driverMetrics(name).set(figure) }
    super.sendDriverMetrics()
  }

  override protected def otherCopyArgs: Seq[AnyRef] = Seq(report)

  /** Were it equal to the scan it takes the place of, Spark would see no change and keep that one. */
  override def equals(other: Any): Boolean = other match {
    case scan: ReportingFileSourceScanExec => super.equals(scan) && report == scan.report
    case _ => false
  }

  override def canEqual(other: Any): Boolean = other.isInstanceOf[ReportingFileSourceScanExec]

  override def hashCode: Int = super.hashCode
}

/** Puts the report of a scan, if there is one, into the plan. */
final case class AttachScanReports(report: FileIndex => Option[ScanReport])
    extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan = plan.transformUp {
    case scan: FileSourceScanExec if !scan.isInstanceOf[ReportingFileSourceScanExec] =>
      report(scan.relation.location).fold(scan) { found =>
        val reported = new ReportingFileSourceScanExec(
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
        )(found)
        reported.copyTagsFrom(scan)
        reported
      }
  }
}
