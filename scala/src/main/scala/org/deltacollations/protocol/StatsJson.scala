// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

/**
 * The statistics of a file, as the log holds them: JSON in a string. Whoever rewrites them must lose
 * nothing another writer put there, whatever its version and whatever it calls its collations.
 *
 * What is no JSON object, or says two things at once, is left as it is, since it says nothing.
 */
object StatsJson {

  /** Where the bounds are. Counts are not among them: after a rewrite, old counts may be wrong. */
  private val bounds = Seq(StatsNames.Min, StatsNames.Max, StatsNames.Collated)

  /** `stats`, and the bounds of `source` for columns and keys that it has none for. */
  def withMissingBounds(stats: String, source: String): String = changed(stats, source) {
    (target, source) =>
      bounds.foreach { name =>
        objectAt(source, name).filterNot(_.isEmpty).foreach { found =>
          addMissing(objectAt(target, name).getOrElse(target.putObject(name)), found)
        }
      }
  }

  /** `stats` without what cannot be what `fresh`, collected from the same file, says it is. */
  def withoutImpossibleBounds(stats: String, fresh: String): String = changed(stats, fresh) {
    (target, fresh) =>
      val wanted = LogJson.json.createObjectNode
      bounds.foreach(name => objectAt(fresh, name).foreach(wanted.set[JsonNode](name, _)))
      dropImpossible(target, wanted)
  }

  /** `stats`, and the keys of `source` that are not in `own`: what others know of the file. */
  def withForeignKeys(stats: String, source: String, own: Set[String]): String =
    changed(stats, source) { (target, source) =>
      val foreign = objectAt(source, StatsNames.Collated).toSeq
        .flatMap(_.properties.asScala).filterNot(entry => own(entry.getKey))
      if (foreign.nonEmpty) {
        val keys = target.withObjectProperty(StatsNames.Collated)
        foreign.foreach(entry => keys.putIfAbsent(entry.getKey, entry.getValue))
      }
    }

  private[protocol] def changed(stats: String, source: String)(
      change: (ObjectNode, ObjectNode) => Unit
  ): String = (read(stats), read(source)) match {
    case (Some(target), Some(source)) =>
      val before = target.deepCopy()
      change(target, source)
      if (target == before) stats else LogJson.write(target)
    case _ => stats
  }

  private[protocol] def changed(stats: String)(change: ObjectNode => Unit): String =
    changed(stats, stats)((target, _) => change(target))

  private[protocol] def read(stats: String): Option[ObjectNode] =
    LogJson.readStrictly(stats).collect { case found: ObjectNode => found }

  private[protocol] def objectAt(node: ObjectNode, name: String): Option[ObjectNode] =
    Option(node.get(name)).collect { case found: ObjectNode => found }

  /** What stands at the end of `path`, name by name. */
  private[protocol] def at(node: JsonNode, path: Seq[String]): Option[JsonNode] =
    path.foldLeft(Option(node))((found, name) => found.flatMap(inner => Option(inner.get(name))))

  /** Whether there is a bound of a column below a key, at either end. */
  private[protocol] def hasBound(bounds: JsonNode, path: Seq[String]): Boolean =
    Seq(StatsNames.Min, StatsNames.Max).exists(end => at(bounds, end +: path).exists(isBound))

  /** A string that is one: bounds of anything else would bound nothing. */
  private[protocol] def isBound(found: JsonNode): Boolean =
    found.isTextual && LogJson.isWhole(found.textValue)

  /** How many there are of something, if the number is one that anything can be counted by. */
  private[protocol] def count(found: JsonNode): Option[Long] =
    Option.when(found.isIntegralNumber && found.canConvertToLong)(found.longValue).filter(_ >= 0)

  private[protocol] def addMissing(target: ObjectNode, source: ObjectNode): Unit =
    source.properties.asScala.foreach { entry =>
      (target.get(entry.getKey), entry.getValue) match {
        case (null, value) => target.set[JsonNode](entry.getKey, value): Unit
        case (inner: ObjectNode, value: ObjectNode) => addMissing(inner, value)
        case _ => ()
      }
    }

  /** Whatever stands where `fresh` has a bound, or a struct of bounds, and cannot be one, goes. */
  private def dropImpossible(target: ObjectNode, fresh: ObjectNode): Unit =
    fresh.properties.asScala.foreach { entry =>
      (Option(target.get(entry.getKey)), entry.getValue) match {
        case (Some(inner: ObjectNode), value: ObjectNode) => dropImpossible(inner, value)
        case (Some(found), value) if value.isObject || value.isTextual && !isBound(found) =>
          target.remove(entry.getKey): Unit
        case _ => ()
      }
    }
}
