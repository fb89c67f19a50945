// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.{JsonNodeFactory, ObjectNode}

/** What the statistics of a file lack of what a reader could know, and how the gaps are filled. */
object StatsBackfill {

  /** Whether the file says how many rows it has; what else it says means little without that. */
  def hasCounts(stats: String): Boolean = rows(stats).isDefined

  /** How many rows the file has, if it says so. */
  def rows(stats: String): Option[Long] = StatsJson.read(stats).flatMap(numRecords)

  /**
   * Whether a file has to be read for the bounds of one of `columns`, each the versioned identifier
   * and the path below it. One bound is enough, since the other may be impossible to prove; a column
   * of nulls and a file without rows have none.
   */
  def lacksBounds(stats: String, columns: Seq[(String, Seq[String])]): Boolean =
    columns.nonEmpty && StatsJson.read(stats).forall { found =>
      numRecords(found).forall { rows =>
        rows > 0 && columns.exists { case (id, path) =>
          val bounds = StatsJson.at(found, Seq(StatsNames.Collated, id))
          !bounds.exists(StatsJson.hasBound(_, path)) &&
          !StatsJson.at(found, StatsNames.NullCount +: path).flatMap(StatsJson.count).contains(rows)
        }
      }
    }

  /** All there is to say of a file in which no row is left. */
  val OfNoRows: String = s"""{"${StatsNames.NumRecords}":0}"""

  /**
   * `stats` with what `fresh`, which was collected from the same file, knows beyond it. All that is
   * there stays, whoever wrote it, whatever it means, unless it cannot be what it stands for.
   */
  def filled(stats: String, fresh: String): String =
    if (hasCounts(stats)) {
      val possible = StatsJson.withoutImpossibleBounds(stats, fresh)
      withMissingNullCounts(StatsJson.withMissingBounds(possible, fresh), fresh)
    } else StatsJson.withForeignKeys(fresh, stats, own = Set.empty)

  /**
   * Without the count, a column that a file does not have would look as if nobody had read it.
   *
   * `stats` counts deleted rows as well, and `fresh` does not. Where that makes a difference, all
   * and none are the only counts that hold for both; so says the protocol of wide bounds.
   */
  private def withMissingNullCounts(stats: String, fresh: String): String =
    StatsJson.changed(stats, fresh) { (target, source) =>
      for {
        rows <- numRecords(target)
        left <- numRecords(source)
        counts <- StatsJson.objectAt(source, StatsNames.NullCount)
      } StatsJson.addMissing(
        StatsJson.objectAt(target, StatsNames.NullCount)
          .getOrElse(target.putObject(StatsNames.NullCount)),
        ofWholeFile(counts, left, rows)
      )
    }

  private def ofWholeFile(counts: ObjectNode, left: Long, rows: Long): ObjectNode = {
    val kept = JsonNodeFactory.instance.objectNode()
    counts.properties.asScala.foreach { entry =>
      entry.getValue match {
        case inner: ObjectNode =>
          kept.set[JsonNode](entry.getKey, ofWholeFile(inner, left, rows)): Unit
        case count if count.asLong == left => kept.put(entry.getKey, rows): Unit
        case count if count.asLong == 0 || left == rows =>
          kept.set[JsonNode](entry.getKey, count): Unit
        case _ => ()
      }
    }
    kept
  }

  private[protocol] def numRecords(stats: ObjectNode): Option[Long] =
    Option(stats.get(StatsNames.NumRecords)).flatMap(StatsJson.count)
}
