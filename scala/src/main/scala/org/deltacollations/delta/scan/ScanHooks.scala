// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.scan

import org.apache.spark.sql.DataFrame

import org.deltacollations.delta.patch.{Hook, HookKind}

/**
 * Lets a scan be looked at that is never run: its files are counted where they are, and none of them
 * comes to the driver, where Delta brings all that a query reads.
 */
private[delta] object ScanHooks {

  val hook: Hook = Hook(
    name = "counted-scan",
    className = "org.apache.spark.sql.delta.stats.DataSkippingReaderBase",
    method = "convertDataFrameToAddFiles",
    signatures = Seq("(sql.Dataset): sql.delta.actions.AddFile[]"),
    kind = HookKind.ReplaceArgument(0),
    degradation = "collation_explain collects the files that a query would read to the driver",
    // It takes the count; without it, the scan would be taken for one that reads no file.
    requires = Set("scan-report"),
    replace = call => {
      val files = call.value.asInstanceOf[DataFrame]
      if (isWanted.get) {
        // Delta counts in the filter of its files as well, so that has to run here, and once.
        counted.set(Some(files.count()))
        files.limit(0)
      } else files
    }
  )

  private val isWanted = ThreadLocal.withInitial[Boolean](() => false)

  private val counted = ThreadLocal.withInitial[Option[Long]](() => None)

  /** Whatever Delta prepares in `body` has no files and must not be run. */
  def of[T](body: => T): T = {
    isWanted.set(true)
    try body
    finally {
      isWanted.remove()
      counted.remove()
    }
  }

  /** How many files the scan reads that was prepared just now, if they were only counted. */
  def take(): Option[Long] = {
    val files = counted.get
    counted.remove()
    files
  }
}
