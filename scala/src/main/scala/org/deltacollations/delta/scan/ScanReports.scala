// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.scan

import java.util.concurrent.ConcurrentMap

import org.apache.spark.sql.delta.stats.{DeltaScan, PreparedDeltaFileIndex}

import com.google.common.collect.MapMaker
import org.deltacollations.collation.CollatedTypes
import org.deltacollations.config.CollationsConf

/** Keeps the [[ScanReport]] of each scan for as long as Delta keeps the scan. */
object ScanReports {

  /** Compares keys by identity, because two scans are equal if they read the same files. */
  private val reports: ConcurrentMap[DeltaScan, ScanReport] =
    new MapMaker().weakKeys().makeMap[DeltaScan, ScanReport]()

  private[scan] def record(scan: DeltaScan, context: ScanContext): ScanReport = {
    val report = create(scan, context)
    reports.put(scan, report)
    report
  }

  /** Returns the report of a scan of a table that supports the feature. */
  def get(index: AnyRef): Option[ScanReport] = index match {
    case prepared: PreparedDeltaFileIndex => Option(reports.get(prepared.preparedScan))
    case _ => None
  }

  /** Returns the report of a scan of any Delta table. */
  def of(index: PreparedDeltaFileIndex): ScanReport =
    get(index).getOrElse(create(index.preparedScan, ScanContext.empty))

  private def create(scan: DeltaScan, context: ScanContext): ScanReport = {
    val outcomes = context.outcomes.map(_.value)
    val read = context.filesCounted.orElse(scan.scanned.files).getOrElse(0L)
    val inTable = scan.total.files.getOrElse(read)
    // For partition filters alone, Delta counts the files that it has collected.
    val inPartitions = Option(scan.partition).flatMap(_.files).getOrElse(inTable).max(read)
    ScanReport(
      inTable,
      inPartitions,
      read,
      outcomes,
      whyNotEvaluated = if (outcomes.isEmpty) whyNotEvaluated(scan) else None,
      context.boundsUse.map(_.ofOtherCollations).getOrElse(Nil)
    )
  }

  private def whyNotEvaluated(scan: DeltaScan): Option[String] = {
    val isCollated = scan.unusedFilters.exists { filter =>
      filter.references.exists(column => CollatedTypes.hasCollation(column.dataType))
    }
    Option.when(isCollated) {
      if (CollationsConf.SkippingEnabled.isEnabled) ScanReport.UnusablePredicate
      else ScanReport.SkippingDisabled
    }
  }
}
