// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import java.util.Locale

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

/** The minimum and maximum of a column in one file, in the order of `collation`. */
final case class ColumnBounds(column: Seq[String], collation: CollationId, min: String, max: String)

object ColumnBounds {

  /** The order of the top-level `minValues` and `maxValues`. It has no versions. */
  val Binary: CollationId = CollationId("spark", "UTF8_BINARY")

  /**
   * Reads all bounds of `columns` from the statistics of a file, regardless of the writer. Ignores
   * bounds that are not strings, and columns that have only one bound.
   */
  def read(stats: String, columns: Seq[Seq[String]]): Seq[ColumnBounds] =
    StatsJson.read(stats).toSeq.flatMap { node =>
      val collated = StatsJson.objectAt(node, StatsNames.Collated).toSeq.flatMap { entries =>
        entries.properties.asScala.toSeq.flatMap { entry =>
          CollationId.parse(entry.getKey).filter(_.version.isDefined)
            .toSeq.flatMap(boundsIn(entry.getValue, _, columns))
        }
      }
      boundsIn(node, Binary, columns) ++ collated
    }

  /** Returns provider and name in lowercase, since writers do not agree on the case. */
  def caseFolded(id: CollationId): String = id.unversioned.toString.toLowerCase(Locale.ROOT)

  /** Encodes a path as a string. The lengths make the encoding unique, even if names contain `:`. */
  def key(column: Seq[String]): String = column.map(name => s"${name.length}:$name").mkString

  private def boundsIn(
      node: JsonNode,
      id: CollationId,
      columns: Seq[Seq[String]]
  ): Seq[ColumnBounds] = node match {
    case bounds: ObjectNode =>
      for {
        column <- columns
        min <- boundAt(bounds, StatsNames.Min +: column)
        max <- boundAt(bounds, StatsNames.Max +: column)
      } yield ColumnBounds(column, id, min, max)
    case _ => Nil
  }

  private def boundAt(node: JsonNode, path: Seq[String]): Option[String] =
    StatsJson.nodeAt(node, path).filter(StatsJson.isBound).map(_.textValue)
}
