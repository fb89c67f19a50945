// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.scan

import java.util.Collections
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.delta.Snapshot

import com.google.common.collect.MapMaker
import org.slf4j.LoggerFactory

/** Says once per table and session that files are read because their statistics are out of date. */
private[delta] object StaleStatsWarning {

  private val log = LoggerFactory.getLogger(getClass)

  private val told = new MapMaker().weakKeys().makeMap[SparkSession, java.util.Set[String]]()

  def warn(snapshot: Snapshot, report: ScanReport): Unit =
    report.reasons.find(_.because == ScanReport.OfAnotherVersion).foreach { stale =>
      val tables = told.computeIfAbsent(
        SparkSession.active,
        _ => Collections.newSetFromMap(new ConcurrentHashMap[String, java.lang.Boolean])
      )
      // Not by the id in the metadata: whoever writes a log could give it another every time.
      val path = snapshot.path.getParent.toString
      if (tables.add(path)) {
        val table = s"delta.`${path.replace("`", "``")}`"
        log.warn(
          s"A query read ${stale.files} of ${report.inTable} files of $table because their " +
            "statistics are of another version of the collation than the one that runs. To skip " +
            s"them again, run: ANALYZE TABLE $table COMPUTE DELTA STATISTICS"
        )
      }
    }
}
