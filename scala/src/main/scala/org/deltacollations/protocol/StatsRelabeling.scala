// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

/** Bounds of a column that may be copied from one version of a collation to another. */
final case class RelabelCandidate(
    column: Seq[String],
    from: CollationId,
    to: CollationId,
    bounds: Seq[String]
)

/** Copies bounds to other versions of their collation. */
object StatsRelabeling {

  /**
   * Adds missing bounds of `columns`, each given by its versioned identifier and its path, by copying
   * the bounds of another version for which `isValid` holds. Keeps all existing bounds.
   */
  def relabeled(stats: String, columns: Seq[(CollationId, Seq[String])])(
      isValid: RelabelCandidate => Boolean
  ): String =
    StatsJson.modified(stats) { node =>
      for {
        entries <- StatsJson.objectAt(node, StatsNames.Collated)
        (id, column) <- columns
        if !Option(entries.get(id.toString)).exists(StatsJson.hasBound(_, column))
        (_, bounds) <- boundsOfOtherVersions(entries, id, column).find { case (from, bounds) =>
          isValid(RelabelCandidate(column, from, id, bounds.map(_._2)))
        }
        (side, bound) <- bounds
      } put(entries, id.toString +: side +: column, bound)
    }

  /** Lists the columns with collated bounds, each by its versioned identifier and its path. */
  def columnsWithBounds(stats: String): Seq[(CollationId, Seq[String])] = (for {
    node <- StatsJson.read(stats).toSeq
    entries <- StatsJson.objectAt(node, StatsNames.Collated).toSeq
    entry <- entries.properties.asScala.toSeq
    id <- CollationId.parse(entry.getKey).toSeq
    side <- StatsNames.MinAndMax
    bounds <- Option(entry.getValue.get(side)).toSeq
    path <- leaves(bounds)
  } yield id -> path).distinct

  private def leaves(node: JsonNode): Seq[Seq[String]] = node match {
    case struct: ObjectNode =>
      struct.properties.asScala.toSeq
        .flatMap(entry => leaves(entry.getValue).map(entry.getKey +: _))
    case leaf => Seq(Nil).filter(_ => StatsJson.isBound(leaf))
  }

  /** Returns the bounds of the column under other versions, those with both bounds first. */
  private def boundsOfOtherVersions(
      entries: ObjectNode,
      id: CollationId,
      column: Seq[String]
  ): Seq[(CollationId, Seq[(String, String)])] = {
    val candidates = for {
      entry <- entries.properties.asScala.toSeq
      other <- CollationId.parse(entry.getKey)
      if ColumnBounds.caseFolded(other) == ColumnBounds.caseFolded(id)
      if other.version.isDefined && other.version != id.version
      bounds = for {
        side <- StatsNames.MinAndMax
        bound <- StatsJson.nodeAt(entry.getValue, side +: column) if StatsJson.isBound(bound)
      } yield side -> bound.textValue
      if bounds.nonEmpty
    } yield other -> bounds
    candidates.sortBy { case (_, bounds) => -bounds.size }
  }

  /** Sets the value at `path`, unless another writer has left a value that is not an object there. */
  @tailrec private def put(node: ObjectNode, path: Seq[String], text: String): Unit =
    if (path.size == 1) {
      if (!node.has(path.head)) node.put(path.head, text): Unit
    } else
      Option(node.get(path.head)).getOrElse(node.putObject(path.head)) match {
        case inner: ObjectNode => put(inner, path.tail, text)
        case _ => ()
      }
}
