// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

/**
 * Rewrites the statistics of a file, a JSON string in the log, and keeps the entries of other
 * writers, of all versions and collations.
 *
 * Statistics that are not a JSON object, or have duplicate keys, are unchanged: they carry no
 * information.
 */
object StatsJson {

  /** The fields with bounds. Excludes counts, because old counts may be wrong after a rewrite. */
  private val boundsFields = Seq(StatsNames.Min, StatsNames.Max, StatsNames.Collated)

  /** Adds to `stats` the bounds of `source` for columns and collations without bounds. */
  def withMissingBounds(stats: String, source: String): String = modified(stats, source) {
    (target, source) =>
      boundsFields.foreach { name =>
        objectAt(source, name).filterNot(_.isEmpty).foreach { bounds =>
          addMissing(objectAt(target, name).getOrElse(target.putObject(name)), bounds)
        }
      }
  }

  /**
   * Removes values from `stats` that are not valid bounds although `fresh`, which was collected from
   * the same file, has bounds in their place.
   */
  def withoutInvalidBounds(stats: String, fresh: String): String = modified(stats, fresh) {
    (target, fresh) =>
      val expected = LogJson.json.createObjectNode
      boundsFields.foreach(name =>
        objectAt(fresh, name).foreach(expected.set[JsonNode](name, _))
      )
      removeInvalid(target, expected)
  }

  /**
   * Adds to `stats` the collated statistics of `source` that other writers left there: all whose
   * identifiers are not in `own`.
   */
  def withKeysOfOtherWriters(stats: String, source: String, own: Set[String]): String =
    modified(stats, source) { (target, source) =>
      val entries = objectAt(source, StatsNames.Collated).toSeq
        .flatMap(_.properties.asScala).filterNot(entry => own(entry.getKey))
      if (entries.nonEmpty) {
        val collated = target.withObjectProperty(StatsNames.Collated)
        entries.foreach(entry => collated.putIfAbsent(entry.getKey, entry.getValue))
      }
    }

  /** Returns `stats` byte for byte unless `modify` changes its content. */
  private[protocol] def modified(stats: String, source: String)(
      modify: (ObjectNode, ObjectNode) => Unit
  ): String = (read(stats), read(source)) match {
    case (Some(target), Some(source)) =>
      val before = target.deepCopy()
      modify(target, source)
      if (target == before) stats else LogJson.write(target)
    case _ => stats
  }

  private[protocol] def modified(stats: String)(modify: ObjectNode => Unit): String =
    modified(stats, stats)((target, _) => modify(target))

  private[protocol] def read(stats: String): Option[ObjectNode] =
    LogJson.readStrictly(stats).collect { case node: ObjectNode => node }

  private[protocol] def objectAt(node: ObjectNode, name: String): Option[ObjectNode] =
    Option(node.get(name)).collect { case inner: ObjectNode => inner }

  private[protocol] def nodeAt(node: JsonNode, path: Seq[String]): Option[JsonNode] =
    path.foldLeft(Option(node))((parent, name) => parent.flatMap(inner => Option(inner.get(name))))

  /** Whether `bounds` has a minimum or a maximum of the column. */
  private[protocol] def hasBound(bounds: JsonNode, path: Seq[String]): Boolean =
    StatsNames.MinAndMax.exists(side => nodeAt(bounds, side +: path).exists(isBound))

  /** Whether `node` is a string that can be compared. Other values are not bounds of a string. */
  private[protocol] def isBound(node: JsonNode): Boolean =
    node.isTextual && LogJson.hasNoLoneSurrogate(node.textValue)

  /** Returns a non-negative integer that fits into a long. */
  private[protocol] def asCount(node: JsonNode): Option[Long] =
    Option.when(node.isIntegralNumber && node.canConvertToLong)(node.longValue).filter(_ >= 0)

  private[protocol] def addMissing(target: ObjectNode, source: ObjectNode): Unit =
    source.properties.asScala.foreach { entry =>
      (target.get(entry.getKey), entry.getValue) match {
        case (null, value) => target.set[JsonNode](entry.getKey, value): Unit
        case (inner: ObjectNode, value: ObjectNode) => addMissing(inner, value)
        case _ => ()
      }
    }

  /** Removes values where `fresh` has a bound, or a struct of bounds, that they cannot be. */
  private def removeInvalid(target: ObjectNode, fresh: ObjectNode): Unit =
    fresh.properties.asScala.foreach { entry =>
      (Option(target.get(entry.getKey)), entry.getValue) match {
        case (Some(inner: ObjectNode), value: ObjectNode) => removeInvalid(inner, value)
        case (Some(current), value) if value.isObject || value.isTextual && !isBound(current) =>
          target.remove(entry.getKey): Unit
        case _ => ()
      }
    }
}
