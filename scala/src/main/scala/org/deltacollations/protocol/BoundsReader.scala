// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import scala.annotation.tailrec
import scala.util.Try

import com.fasterxml.jackson.core.{JsonParser, JsonToken}

/**
 * What a file has for one of the [[ColumnBounds]].
 *
 * @param values
 *   the minimum and the maximum; several if writers have spelled the collation in several ways
 * @param hasOtherVersion
 *   whether there are bounds of this column and collation in another version
 */
final case class FoundBounds(values: Seq[(String, String)], hasOtherVersion: Boolean)

/**
 * Reads `bounds` from the statistics of a file, regardless of the writer. Ignores bounds that are not
 * strings, and columns that have only one bound.
 *
 * It reads the JSON once, from the start to the end, and builds no tree of it. That matters for tables
 * with many files, whose statistics are all read by the first query.
 */
final class BoundsReader(bounds: Seq[ColumnBounds]) {

  import BoundsReader._

  private val paths = bounds.map(_.column).distinct

  private val columns = Columns.of(paths.zipWithIndex)

  private val requested = bounds.zipWithIndex.map { case (ColumnBounds(column, collation), index) =>
    Requested(index, paths.indexOf(column), ColumnBounds.caseFolded(collation), collation.version)
  }

  private val ofBinary = Matches(
    bounds.zip(requested).collect { case (ColumnBounds(_, ColumnBounds.Binary), binary) => binary },
    Nil
  )

  /** What the keys match that current writers use. There are few others. */
  private val known =
    bounds.map(_.collation.toString).distinct.map(key => key -> matches(key)).toMap

  /** Returns what the file has for each of `bounds`; nothing if its statistics are malformed. */
  def read(stats: String): IndexedSeq[FoundBounds] = {
    val found = Array.fill(bounds.size)(Nothing)
    val isValid = stats != null && Try(readAll(stats, found)).getOrElse(false)
    if (isValid) found.toIndexedSeq else IndexedSeq.fill(bounds.size)(Nothing)
  }

  private def readAll(stats: String, found: Array[FoundBounds]): Boolean = {
    val json = LogJson.parser(stats)
    try
      json.nextToken() == JsonToken.START_OBJECT && {
        val binary = new Values(paths.size)
        forEachField(json) { name =>
          if (name == StatsNames.Collated) readCollated(json, found)
          else if (ofBinary.isEmpty || !readSide(json, name, binary)) skip(json)
        }
        add(found, ofBinary, binary)
        json.nextToken() == null
      }
    finally json.close()
  }

  private def readCollated(json: JsonParser, found: Array[FoundBounds]): Unit =
    if (json.currentToken != JsonToken.START_OBJECT) skip(json)
    else
      forEachField(json) { key =>
        val matching = known.getOrElse(key, matches(key))
        if (matching.isEmpty || json.currentToken != JsonToken.START_OBJECT) skip(json)
        else {
          val values = new Values(paths.size)
          forEachField(json)(name => if (!readSide(json, name, values)) skip(json))
          add(found, matching, values)
        }
      }

  /** Reads a minimum or a maximum of each column; returns false if the field has another name. */
  private def readSide(json: JsonParser, name: String, values: Values): Boolean =
    if (name == StatsNames.Min) {
      readColumns(json, columns, values.min)
      true
    } else if (name == StatsNames.Max) {
      readColumns(json, columns, values.max)
      true
    } else false

  private def readColumns(json: JsonParser, columns: Columns, values: Array[String]): Unit =
    json.currentToken match {
      case JsonToken.START_OBJECT if columns.fields.nonEmpty =>
        forEachField(json) { name =>
          columns.fields.get(name) match {
            case Some(inner) => readColumns(json, inner, values)
            case None => skip(json)
          }
        }
      case JsonToken.VALUE_STRING if columns.index >= 0 =>
        val value = json.getText
        if (LogJson.hasNoLoneSurrogate(value)) values(columns.index) = value
      case _ => skip(json)
    }

  private def add(found: Array[FoundBounds], matching: Matches, values: Values): Unit = {
    matching.ofVersion.foreach { requested =>
      if (values.areComplete(requested.column)) {
        val bounds = (values.min(requested.column), values.max(requested.column))
        val before = found(requested.index)
        found(requested.index) = before.copy(values = before.values :+ bounds)
      }
    }
    matching.ofOtherVersion.foreach { requested =>
      if (values.areComplete(requested.column))
        found(requested.index) = found(requested.index).copy(hasOtherVersion = true)
    }
  }

  private def matches(key: String): Matches =
    CollationId.parse(key).filter(_.version.isDefined).fold(NoMatches) { id =>
      val collation = ColumnBounds.caseFolded(id)
      val (ofVersion, ofOther) =
        requested.filter(_.collation == collation).partition(_.version == id.version)
      Matches(ofVersion, ofOther)
    }
}

object BoundsReader {

  private val Nothing = FoundBounds(Nil, hasOtherVersion = false)

  /** One of the requested bounds, with the index of its column and its case-folded collation. */
  final private case class Requested(
      index: Int,
      column: Int,
      collation: String,
      version: Option[String]
  )

  /** The requested bounds that a key of the statistics has, and those it has in another version. */
  final private case class Matches(ofVersion: Seq[Requested], ofOtherVersion: Seq[Requested]) {

    def isEmpty: Boolean = ofVersion.isEmpty && ofOtherVersion.isEmpty
  }

  private val NoMatches = Matches(Nil, Nil)

  /** The minima and the maxima that one key has, by the index of the column. */
  final private class Values(columns: Int) {

    val min: Array[String] = new Array(columns)
    val max: Array[String] = new Array(columns)

    def areComplete(column: Int): Boolean = min(column) != null && max(column) != null
  }

  /** Columns by the names of their fields. `index` is that of the column itself, or -1. */
  final private case class Columns(index: Int, fields: Map[String, Columns])

  private object Columns {

    def of(paths: Seq[(Seq[String], Int)]): Columns = {
      val (leaves, nested) = paths.partition { case (path, _) => path.isEmpty }
      val fields = nested.groupMap { case (path, _) => path.head } { case (path, index) =>
        path.tail -> index
      }
      Columns(
        leaves.headOption.fold(-1) { case (_, index) => index },
        fields.map { case (name, inner) => name -> of(inner) }
      )
    }
  }

  /** Calls `read` for each field of the current object. It must read or skip the value. */
  @tailrec
  private def forEachField(json: JsonParser)(read: String => Unit): Unit =
    if (json.nextToken() == JsonToken.FIELD_NAME) {
      val name = json.currentName
      json.nextToken(): Unit
      read(name)
      forEachField(json)(read)
    }

  /** Skips the current value. Numbers are evaluated, because some cannot be. */
  private def skip(json: JsonParser): Unit = {
    @tailrec
    def skipAt(outerDepth: Int): Unit = {
      val token = json.currentToken
      if (token.isNumeric) LogJson.numberAt(json): Unit
      val depth =
        if (token.isStructStart) outerDepth + 1
        else if (token.isStructEnd) outerDepth - 1
        else outerDepth
      if (depth > 0) {
        json.nextToken(): Unit
        skipAt(depth)
      }
    }
    skipAt(0)
  }
}
