// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import scala.jdk.CollectionConverters._
import scala.util.Using

import com.fasterxml.jackson.core.{JsonParser, JsonToken}
import com.fasterxml.jackson.databind.JsonNode

/**
 * The tag of a file that lists the code points in its collated columns: a JSON object with a string
 * of code point ranges per column.
 *
 * Delta's writer offers only the statistics as a channel for values computed from rows. So the ranges
 * are collected as one more field of the statistics and moved from there to the tags: the protocol
 * defines the fields of the statistics, but any writer may add tags.
 */
object CodePointTag {

  /** The name of the tag, and of the field of the statistics that carries it during a write. */
  val Name: String = "deltaCollations.codePoints"

  /** Returns the key of a column in the tag. */
  def key(column: Seq[String]): String = ColumnBounds.key(column)

  /**
   * Splits `stats` into the statistics without the carrier field and the value of that field. All
   * other characters of `stats` are unchanged.
   *
   * Returns `stats` itself and no tag unless `stats` is a JSON object with exactly one such field at
   * the top level, whose value is an object. A column of the same name is always nested deeper.
   */
  def extract(stats: String): (String, Option[String]) = {
    val extracted = for {
      text <- Option(stats).filter(mayHaveField)
      fields <- Using(LogJson.json.createParser(text))(topLevelFields).toOption
      Seq(index) <- Some(fields.indices.filter(fields(_).name == Name))
      tag <- Some(text.substring(fields(index).valueStart, fields(index).end)).filter(isTag)
    } yield (removed(text, fields, index), Some(tag))
    extracted.getOrElse((stats, None))
  }

  /** Returns the tag of a file that has `tags` and was read again, with the result `fresh`. */
  def merged(tags: Map[String, String], fresh: String): String =
    tagIn(tags).filter(isTag).fold(fresh) { previous =>
      StatsJson.modified(previous, fresh)((target, source) =>
        target.setAll[JsonNode](source): Unit
      )
    }

  /** Returns the code point ranges by column key; empty if the tag is missing or malformed. */
  def read(tags: Map[String, String]): Map[String, String] =
    tagIn(tags).flatMap(StatsJson.read).fold(Map.empty[String, String]) { tag =>
      tag.properties.asScala.collect {
        case entry if entry.getValue.isTextual => entry.getKey -> entry.getValue.textValue
      }.toMap
    }

  /** Limits the work on a forged tag. Tables do not have enough columns to reach this length. */
  private val MaxLength = 1 << 20

  private def tagIn(tags: Map[String, String]): Option[String] =
    Option(tags).flatMap(_.get(Name)).filter(text => text != null && text.length <= MaxLength)

  private def isTag(text: String): Boolean = StatsJson.read(text).isDefined

  /** Avoids parsing most statistics. JSON can spell the name differently only with `\u` escapes. */
  private def mayHaveField(stats: String): Boolean = stats.contains(Name) || stats.contains("\\u")

  /**
   * A field by its offsets: where its name and its value start, and where its value ends. The end is
   * only exact for objects and arrays, since Jackson reads the rest of a string lazily.
   */
  final private case class Field(name: String, start: Int, valueStart: Int, end: Int)

  private def topLevelFields(parser: JsonParser): IndexedSeq[Field] = {
    def tokenStart = parser.currentTokenLocation.getCharOffset.toInt
    if (parser.nextToken() != JsonToken.START_OBJECT) IndexedSeq.empty
    else {
      val fields = Iterator.continually(parser.nextToken())
        .takeWhile(_ == JsonToken.FIELD_NAME)
        .map { _ =>
          val (name, start) = (parser.currentName, tokenStart)
          parser.nextToken()
          val valueStart = tokenStart
          parser.skipChildren()
          Field(name, start, valueStart, parser.currentLocation.getCharOffset.toInt)
        }.toIndexedSeq
      val hasTrailingTokens = parser.nextToken() != null
      if (hasTrailingTokens) IndexedSeq.empty else fields
    }
  }

  /** Removes a field and the comma that separates it from its neighbor. */
  private def removed(text: String, fields: IndexedSeq[Field], index: Int): String = {
    val field = fields(index)
    val (from, until) =
      if (index > 0) (text.lastIndexOf(',', field.start), field.end)
      else (field.start, fields.lift(1).fold(field.end)(_.start))
    text.substring(0, from) + text.substring(until)
  }
}
