// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.scan

import java.util.concurrent.ConcurrentMap

import org.apache.spark.sql.delta.stats.{DeltaScan, PreparedDeltaFileIndex}

import com.google.common.collect.MapMaker
import org.deltacollations.collation.CollatedTypes
import org.deltacollations.config.CollationsConf
import org.deltacollations.delta.feature.FeatureRegistry
import org.deltacollations.delta.patch.{Hook, HookKind}

/** Remembers of each scan what became of the files, for as long as Delta remembers the scan. */
object ScanContext {

  private[delta] val hook: Hook = Hook(
    name = "scan-report",
    className = "org.apache.spark.sql.delta.stats.DataSkippingReaderBase",
    method = "filesForScan",
    signatures = Seq(
      "(immutable.Seq, boolean): sql.delta.stats.DeltaScan",
      "(long, immutable.Seq): sql.delta.stats.DeltaScan"
    ),
    kind = HookKind.ReplaceResult,
    degradation = "plans do not show which files were skipped",
    replace = call => {
      val counts = counting.get
      counting.remove()
      val scan = call.value.asInstanceOf[DeltaScan]
      val read = ScanHooks.take()
      val isCollated = FeatureRegistry.isSupported(scan.scannedSnapshot.protocol)
      if (isCollated || read.isDefined) {
        val report = made(scan, counts, read)
        reports.put(scan, report)
        if (isCollated) StaleStatsWarning.warn(scan.scannedSnapshot, report)
      }
      scan
    }
  )

  /** From the filter of files to the end of the method that lets them be filtered. */
  private val counting = new ThreadLocal[Option[FileOutcomeAccumulator]] {
    override def initialValue: Option[FileOutcomeAccumulator] = None
  }

  def counting(counts: FileOutcomeAccumulator): Unit = counting.set(Some(counts))

  /** By identity: two scans are equal if they read the same files, whatever the reason. */
  private val reports: ConcurrentMap[DeltaScan, ScanReport] =
    new MapMaker().weakKeys().makeMap[DeltaScan, ScanReport]()

  def of(index: AnyRef): Option[ScanReport] = index match {
    case prepared: PreparedDeltaFileIndex => Option(reports.get(prepared.preparedScan))
    case _ => None
  }

  /** What became of the files in a scan of any Delta table, prepared as Delta prepares it. */
  def ofAny(index: PreparedDeltaFileIndex): ScanReport =
    of(index).getOrElse(made(index.preparedScan, None, None))

  /** @param counted how many files are read, if they were counted and did not come to the driver */
  private def made(
      scan: DeltaScan,
      counts: Option[FileOutcomeAccumulator],
      counted: Option[Long]
  ): ScanReport = {
    val read = counted.orElse(scan.scanned.files).getOrElse(0L)
    val inTable = scan.total.files.getOrElse(read)
    // Where only partitions are asked for, Delta counts the files that it has at hand.
    val inPartitions = Option(scan.partition).flatMap(_.files).getOrElse(inTable).max(read)
    ScanReport(
      inTable,
      inPartitions,
      read,
      counts.map(_.value),
      unasked = if (counts.isEmpty) unasked(scan) else None
    )
  }

  private def unasked(scan: DeltaScan): Option[String] = {
    val isCollated = scan.unusedFilters.exists { filter =>
      filter.references.exists(column => CollatedTypes.hasCollation(column.dataType))
    }
    Option.when(isCollated) {
      if (CollationsConf.SkippingEnabled.isOn) ScanReport.NotUsable else ScanReport.SwitchedOff
    }
  }
}
