// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.scan

import java.util.Collections
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.delta.Snapshot

import com.google.common.collect.MapMaker
import org.slf4j.LoggerFactory

/** Logs once per table and session that files are read because their statistics are stale. */
private[delta] object StaleStatsWarning {

  private val log = LoggerFactory.getLogger(getClass)

  private val warned = new MapMaker().weakKeys().makeMap[SparkSession, java.util.Set[String]]()

  def warn(snapshot: Snapshot, report: ScanReport): Unit =
    report.reasons.find(_.reason == ScanReport.OtherVersion).foreach { stale =>
      val tables = warned.computeIfAbsent(
        SparkSession.active,
        _ => Collections.newSetFromMap(new ConcurrentHashMap[String, java.lang.Boolean])
      )
      // The path, not the table id of the metadata: a malicious log could change the id every time.
      val path = snapshot.path.getParent.toString
      if (tables.add(path)) {
        val table = s"delta.`${path.replace("`", "``")}`"
        log.warn(
          s"A query reads ${stale.files} of ${report.inTable} files of $table because their " +
            "collated statistics were written by another ICU version. To skip files again, run: " +
            s"ANALYZE TABLE $table COMPUTE DELTA STATISTICS"
        )
      }
    }
}
