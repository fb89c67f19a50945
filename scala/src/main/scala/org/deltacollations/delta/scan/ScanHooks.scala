// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.scan

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.delta.stats.DeltaScan

import org.deltacollations.delta.feature.FeatureRegistry
import org.deltacollations.patch.{Hook, HookKind}

/** Follows Delta's `filesForScan`, which plans a scan, from its start to its result. */
private[delta] object ScanHooks {

  private val reader = "org.apache.spark.sql.delta.stats.DataSkippingReaderBase"

  private val filesForScan = Seq(
    "(immutable.Seq, boolean): sql.delta.stats.DeltaScan",
    "(long, immutable.Seq): sql.delta.stats.DeltaScan"
  )

  val begin: Hook = Hook(
    name = "scan-begin",
    className = reader,
    method = "filesForScan",
    signatures = filesForScan,
    kind = HookKind.OnEntry,
    degradation = "query plans do not show which files were skipped",
    requires = Set("scan-report"),
    replace = call => {
      ScanContext.begin()
      call.value
    }
  )

  /**
   * Counts the files of a scan where the log is read, for `collation_explain`, which never executes
   * the scan. Delta would collect all files to the driver.
   */
  val countOnly: Hook = Hook(
    name = "scan-count-only",
    className = reader,
    method = "convertDataFrameToAddFiles",
    signatures = Seq("(sql.Dataset): sql.delta.actions.AddFile[]"),
    kind = HookKind.ReplaceArgument(0),
    degradation = "collation_explain collects the files that a query would read to the driver",
    // Without the hook that reads the count, the report would say that no file is read.
    requires = Set("scan-report"),
    replace = call => {
      val files = call.value.asInstanceOf[DataFrame]
      val context = ScanContext.get
      if (context.countOnly) {
        // The filter of the files also feeds accumulators, so it must run here, exactly once.
        context.filesCounted = Some(files.count())
        files.limit(0)
      } else files
    }
  )

  val end: Hook = Hook(
    name = "scan-report",
    className = reader,
    method = "filesForScan",
    signatures = filesForScan,
    kind = HookKind.ReplaceResult,
    degradation = "query plans do not show which files were skipped",
    requires = Set("scan-begin"),
    replace = call => {
      val context = ScanContext.end()
      val scan = call.value.asInstanceOf[DeltaScan]
      val isCollated = FeatureRegistry.isSupported(scan.scannedSnapshot.protocol)
      if (isCollated || context.filesCounted.isDefined) {
        val report = ScanReports.record(scan, context)
        if (isCollated) StaleStatsWarning.warn(scan.scannedSnapshot, report)
      }
      scan
    }
  )
}
