// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.{JsonNodeFactory, ObjectNode}

/** Detects missing statistics of existing files and adds them. */
object StatsBackfill {

  /** Whether the row count is known. Without it, the other statistics are of little use. */
  def hasNumRecords(stats: String): Boolean = numRecords(stats).isDefined

  def numRecords(stats: String): Option[Long] = StatsJson.read(stats).flatMap(numRecordsIn)

  /**
   * Whether a file has to be read for the bounds of `columns`, each given by its versioned identifier
   * and its path. One of the two bounds is enough, since the other may be impossible to compute.
   * Columns with only nulls and files without rows have no bounds.
   */
  def isMissingBounds(stats: String, columns: Seq[(String, Seq[String])]): Boolean =
    columns.nonEmpty && StatsJson.read(stats).forall { node =>
      numRecordsIn(node).forall { rows =>
        rows > 0 && columns.exists { case (id, path) =>
          val bounds = StatsJson.nodeAt(node, Seq(StatsNames.Collated, id))
          def nulls =
            StatsJson.nodeAt(node, StatsNames.NullCount +: path).flatMap(StatsJson.asCount)
          !bounds.exists(StatsJson.hasBound(_, path)) && !nulls.contains(rows)
        }
      }
    }

  /** The statistics of a file whose rows are all deleted. */
  val EmptyFileStats: String = s"""{"${StatsNames.NumRecords}":0}"""

  /**
   * Adds to `stats` the values that only `fresh` has, which was collected from the same file. Keeps
   * all existing values, of any writer, except bounds that are not strings.
   */
  def backfilled(stats: String, fresh: String): String =
    if (hasNumRecords(stats)) {
      val valid = StatsJson.withoutInvalidBounds(stats, fresh)
      withMissingNullCounts(StatsJson.withMissingBounds(valid, fresh), fresh)
    } else StatsJson.withKeysOfOtherWriters(fresh, stats, own = Set.empty)

  /**
   * Adds null counts: without them, a column that a file does not contain looks as if its bounds
   * were not collected yet.
   *
   * `stats` counts deleted rows, and `fresh` does not. Where the row counts differ, only "all rows"
   * and "no rows" hold for both, as the protocol requires for wide bounds (`tightBounds`).
   */
  private def withMissingNullCounts(stats: String, fresh: String): String =
    StatsJson.modified(stats, fresh) { (target, source) =>
      for {
        allRows <- numRecordsIn(target)
        remainingRows <- numRecordsIn(source)
        nullCounts <- StatsJson.objectAt(source, StatsNames.NullCount)
      } StatsJson.addMissing(
        StatsJson.objectAt(target, StatsNames.NullCount)
          .getOrElse(target.putObject(StatsNames.NullCount)),
        ofAllRows(nullCounts, remainingRows, allRows)
      )
    }

  private def ofAllRows(nullCounts: ObjectNode, remainingRows: Long, allRows: Long): ObjectNode = {
    val result = JsonNodeFactory.instance.objectNode()
    nullCounts.properties.asScala.foreach { entry =>
      entry.getValue match {
        case inner: ObjectNode =>
          result.set[JsonNode](entry.getKey, ofAllRows(inner, remainingRows, allRows)): Unit
        case count if count.asLong == remainingRows => result.put(entry.getKey, allRows): Unit
        case count if count.asLong == 0 || remainingRows == allRows =>
          result.set[JsonNode](entry.getKey, count): Unit
        case _ => ()
      }
    }
    result
  }

  private[protocol] def numRecordsIn(stats: ObjectNode): Option[Long] =
    Option(stats.get(StatsNames.NumRecords)).flatMap(StatsJson.asCount)
}
