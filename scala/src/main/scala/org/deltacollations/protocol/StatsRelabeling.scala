// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

/** That bounds of a column, found under one version of a collation, hold under another as well. */
final case class RelabelCandidate(
    column: Seq[String],
    found: CollationId,
    wanted: CollationId,
    bounds: Seq[String]
)

/** Bounds under further versions of their collation. */
object StatsRelabeling {

  /**
   * `stats` with the bounds of `wanted`, each a versioned identifier and the path below it, that it
   * lacks and has under another version for which a claim holds. What is there stays.
   */
  def added(stats: String, wanted: Seq[(CollationId, Seq[String])])(
      holds: RelabelCandidate => Boolean
  ): String =
    StatsJson.changed(stats) { target =>
      for {
        keys <- StatsJson.objectAt(target, StatsNames.Collated)
        (id, column) <- wanted
        if !Option(keys.get(id.toString)).exists(StatsJson.hasBound(_, column))
        (_, bounds) <- others(keys, id, column).find { case (found, bounds) =>
          holds(RelabelCandidate(column, found, id, bounds.map(_._2)))
        }
        (end, bound) <- bounds
      } put(keys, id.toString +: end +: column, bound)
    }

  /** What a file has bounds of: each a versioned identifier, and the path below it. */
  def found(stats: String): Seq[(CollationId, Seq[String])] = (for {
    read <- StatsJson.read(stats).toSeq
    keys <- StatsJson.objectAt(read, StatsNames.Collated).toSeq
    entry <- keys.properties.asScala.toSeq
    id <- CollationId.parse(entry.getKey).toSeq
    end <- Seq(StatsNames.Min, StatsNames.Max)
    bounds <- Option(entry.getValue.get(end)).toSeq
    path <- leaves(bounds)
  } yield id -> path).distinct

  private def leaves(node: JsonNode): Seq[Seq[String]] = node match {
    case struct: ObjectNode =>
      struct.properties.asScala.toSeq
        .flatMap(entry => leaves(entry.getValue).map(entry.getKey +: _))
    case leaf => Seq(Nil).filter(_ => StatsJson.isBound(leaf))
  }

  /** What the file has of the column under other versions, those with both bounds first. */
  private def others(
      keys: ObjectNode,
      id: CollationId,
      column: Seq[String]
  ): Seq[(CollationId, Seq[(String, String)])] = {
    val found = for {
      entry <- keys.properties.asScala.toSeq
      other <- CollationId.parse(entry.getKey)
      if ColumnBounds.folded(other) == ColumnBounds.folded(id)
      if other.version.isDefined && other.version != id.version
      bounds = for {
        end <- Seq(StatsNames.Min, StatsNames.Max)
        bound <- StatsJson.at(entry.getValue, end +: column) if StatsJson.isBound(bound)
      } yield end -> bound.textValue
      if bounds.nonEmpty
    } yield other -> bounds
    found.sortBy { case (_, bounds) => -bounds.size }
  }

  /** Nothing is put below what is no object: others wrote it, and it may mean something to them. */
  @tailrec private def put(node: ObjectNode, path: Seq[String], text: String): Unit =
    if (path.size == 1) {
      if (!node.has(path.head)) node.put(path.head, text): Unit
    } else
      Option(node.get(path.head)).getOrElse(node.putObject(path.head)) match {
        case inner: ObjectNode => put(inner, path.tail, text)
        case _ => ()
      }
}
