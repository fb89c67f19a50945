// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.cfg.JsonNodeFeature
import com.fasterxml.jackson.databind.json.JsonMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{DeserializationFeature, JsonNode}

/**
 * The statistics of a file, as the log holds them: JSON in a string. Whoever rewrites them must lose
 * nothing another writer put there, whatever its version and whatever it calls its collations.
 *
 * What is no JSON object is left as it is, since it says nothing.
 */
object StatsJson {

  /** Bounds of decimals must come through with every digit. */
  private val json = JsonMapper.builder()
    .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
    .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
    .build()

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
      if (target == before) stats else json.writeValueAsString(target)
    case _ => stats
  }

  private[protocol] def changed(stats: String)(change: ObjectNode => Unit): String =
    changed(stats, stats)((target, _) => change(target))

  private[protocol] def read(stats: String): Option[ObjectNode] =
    Option(stats).flatMap(text => Try(json.readTree(text)).toOption)
      .collect { case found: ObjectNode => found }

  private[protocol] def objectAt(node: ObjectNode, name: String): Option[ObjectNode] =
    Option(node.get(name)).collect { case found: ObjectNode => found }

  /** What stands at the end of `path`, name by name. */
  private[protocol] def at(node: JsonNode, path: Seq[String]): Option[JsonNode] =
    path.foldLeft(Option(node))((found, name) => found.flatMap(inner => Option(inner.get(name))))

  /** Whether there is a bound of a column below a key, at either end. */
  private[protocol] def hasBound(bounds: JsonNode, path: Seq[String]): Boolean =
    Seq(StatsNames.Min, StatsNames.Max).exists(end => at(bounds, end +: path).exists(_.isTextual))

  private[protocol] def addMissing(target: ObjectNode, source: ObjectNode): Unit =
    source.properties.asScala.foreach { entry =>
      (target.get(entry.getKey), entry.getValue) match {
        case (null, value) => target.set[JsonNode](entry.getKey, value): Unit
        case (inner: ObjectNode, value: ObjectNode) => addMissing(inner, value)
        case _ => ()
      }
    }
}
