// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import java.util.Locale

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

/** Both bounds of a column in one file, under the collation that they say they were made with. */
final case class ColumnBounds(column: Seq[String], collation: CollationId, min: String, max: String)

object ColumnBounds {

  /** What the bounds beside `statsWithCollation` are ordered by, which has one version for ever. */
  val Binary: CollationId = CollationId("spark", "UTF8_BINARY")

  /**
   * The bounds of `columns` that a file has, whoever wrote them. One without the other is no use, and
   * one that is no string is none; both are as if they were not there.
   */
  def read(stats: String, columns: Seq[Seq[String]]): Seq[ColumnBounds] =
    StatsJson.read(stats).toSeq.flatMap { found =>
      val collated = StatsJson.objectAt(found, StatsNames.Collated).toSeq.flatMap { keys =>
        keys.properties.asScala.toSeq.flatMap { entry =>
          CollationId.parse(entry.getKey).filter(_.version.isDefined)
            .toSeq.flatMap(below(entry.getValue, _, columns))
        }
      }
      below(found, Binary, columns) ++ collated
    }

  /** Provider and name in one spelling, since writers do not agree on the case of their letters. */
  def folded(id: CollationId): String = id.unversioned.toString.toLowerCase(Locale.ROOT)

  /** One text for a path, another for every other path, whatever is in the names. */
  def key(column: Seq[String]): String = column.map(name => s"${name.length}:$name").mkString

  private def below(
      node: JsonNode,
      id: CollationId,
      columns: Seq[Seq[String]]
  ): Seq[ColumnBounds] = node match {
    case found: ObjectNode =>
      for {
        column <- columns
        min <- text(found, StatsNames.Min +: column)
        max <- text(found, StatsNames.Max +: column)
      } yield ColumnBounds(column, id, min, max)
    case _ => Nil
  }

  private def text(node: JsonNode, path: Seq[String]): Option[String] =
    StatsJson.at(node, path).filter(StatsJson.isBound).map(_.textValue)
}
