// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.scan

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.connector.read.streaming.SparkDataStream
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.collection.BitSet

/**
 * Spark's own file scan with a report. Since Spark 4.3, it has eleven arguments. Spark copies a scan by
 * reflection, with the arguments of its own constructor followed by the report.
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
    disableBucketedScan: Boolean,
    markedForSingleTaskExecution: Boolean
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
      disableBucketedScan,
      markedForSingleTaskExecution
    )
    with ScanReporting

object ReportingFileSourceScanExec {

  def apply(scan: FileSourceScanExec, report: ScanReport): ReportingFileSourceScanExec =
    new ReportingFileSourceScanExec(
      scan.relation,
      scan.stream,
      scan.output,
      scan.requiredSchema,
      scan.partitionFilters,
      scan.optionalBucketSet,
      scan.optionalNumCoalescedBuckets,
      scan.dataFilters,
      scan.tableIdentifier,
      scan.disableBucketedScan,
      scan.markedForSingleTaskExecution
    )(report)
}
