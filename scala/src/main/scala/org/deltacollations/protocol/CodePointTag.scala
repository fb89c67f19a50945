// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode

/**
 * The tag of a file that says which characters its collated columns hold: a JSON object, with a text
 * of a few ranges for each column.
 *
 * It is collected as one more field of the statistics, their last, and moved from there to the tags:
 * the fields of the statistics are the protocol's, and tags are anybody's.
 */
object CodePointTag {

  /** Of the tag, and of the field that it is while it is collected. */
  val Name: String = "deltaCollations.codePoints"

  /** The name of a column in it. */
  def key(column: Seq[String]): String = ColumnBounds.key(column)

  /**
   * `stats` without the field, and the tag that it becomes. The field is cut out, so that all others
   * keep every letter.
   *
   * No column is mistaken for it. Within the field none has this name, since keys begin with a
   * number; elsewhere, more than one brace is left after it. Within a string, quotes are escaped.
   */
  def cut(stats: String): (String, Option[String]) = {
    val start = if (stats == null) -1 else stats.lastIndexOf(FieldStart)
    val tag = Option.when(start >= 0)(stats.substring(start + FieldStart.length, stats.length - 1))
      .filter(isTag)
    (tag.fold(stats)(_ => stats.substring(0, start) + "}"), tag)
  }

  /** What a file is tagged with that had `tags` and was read again. */
  def renewed(tags: Map[String, String], fresh: String): String =
    written(tags).filter(isTag).fold(fresh) { before =>
      StatsJson.changed(before, fresh)((target, source) => target.setAll[JsonNode](source): Unit)
    }

  /** The texts in the tag by the keys of their columns, or nothing if it is missing or damaged. */
  def read(tags: Map[String, String]): Map[String, String] =
    written(tags).flatMap(StatsJson.read).fold(Map.empty[String, String]) { found =>
      found.properties.asScala.collect {
        case entry if entry.getValue.isTextual => entry.getKey -> entry.getValue.textValue
      }.toMap
    }

  /** No table has so many columns that the tag of a file would be longer. */
  private val Longest = 1 << 20

  private def written(tags: Map[String, String]): Option[String] =
    Option(tags).flatMap(_.get(Name)).filter(text => text != null && text.length <= Longest)

  private def isTag(text: String): Boolean = StatsJson.read(text).isDefined

  private val FieldStart = s""","$Name":"""
}
