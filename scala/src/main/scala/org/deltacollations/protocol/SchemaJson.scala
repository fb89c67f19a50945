// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import java.util.Locale

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.{ObjectNode, TextNode}
import org.deltacollations.errors.CollationsErrors

/**
 * A table's schema as the log spells it, and as Spark can read it.
 *
 * Spark fails on every collation it does not know, and spells the ones it knows its own way. So what
 * Spark cannot take is put aside in the field's metadata, where it survives every change Delta makes
 * to a schema, and comes back, letter by letter, before the schema is written. RFC, "Specifying
 * collations in the table schema".
 *
 * What is no schema is handed on as it is: Delta has its own words for that.
 */
object SchemaJson {

  private[protocol] val Collations = "__COLLATIONS"

  /** Never in a log: what a field's `__COLLATIONS` said where Spark was told something else. */
  private val AsWritten = "__COLLATIONS_AS_WRITTEN"

  private[protocol] val BinaryId = "spark.UTF8_BINARY"

  private val ExplicitBinary = "(?i)string\\s+collate\\s+UTF8_BINARY"

  private val json = LogJson.json

  /** Whether any field of the schema has a collation, known or not. */
  def hasCollations(text: String): Boolean = collatedFields(text).nonEmpty

  /** The names of the fields that have a collation, known or not. */
  def collatedFields(text: String): Seq[String] =
    if (text == null || !text.contains(Collations)) Nil
    else
      LogJson.read(text).toSeq.flatMap(fields)
        .filter(_.path("metadata").has(Collations))
        .map(_.path("name").asText)

  /**
   * The schema for Spark.
   *
   * @param spelling
   *   from an identifier of the log to the one Spark would write, or `None` if Spark has no such
   *   collation: that string is then read as plain UTF-8, as the RFC has it for such readers
   */
  def forSpark(text: String, spelling: String => Option[String]): String =
    changed(text, Collations)(FieldCollations.of(_).foreach(_.setAside(spelling)))

  /** The schema for the log: what was put aside comes back, and plain strings are just `string`. */
  def forLog(text: String): String =
    changed(text, AsWritten, "string collate", BinaryId) { field =>
      FieldCollations.of(field).foreach(_.bringBack())
      FieldType.replaceStrings(field)(name => if (name.matches(ExplicitBinary)) "string" else name)
    }

  /** Most schemas hold none of the words that call for a change, and are not even parsed. */
  private def changed(text: String, words: String*)(change: ObjectNode => Unit): String =
    if (text == null || !words.exists(text.contains)) text
    else
      LogJson.read(text).fold(text) { schema =>
        val before = schema.deepCopy[JsonNode]()
        fields(schema).foreach(change)
        // What a forged mark of ours brings back may be deeper than Jackson writes.
        if (schema == before) text else Try(LogJson.write(schema)).getOrElse(text)
      }

  /** Every field at any depth. */
  private def fields(dataType: JsonNode): Seq[ObjectNode] =
    FieldType.children(dataType).flatMap(fields) ++
      dataType.path("fields").elements.asScala.toSeq.collect { case field: ObjectNode =>
        fields(field.path("type")) :+ field
      }.flatten

  /** The collations of one field. Positions are counted from the field, so a rename keeps them. */
  final private class FieldCollations(field: ObjectNode, metadata: ObjectNode) {

    private val name = field.path("name").asText

    private val physicalName = metadata.path("delta.columnMapping.physicalName").asText(name)

    def setAside(spelling: String => Option[String]): Unit = {
      val forSpark, aside = json.createObjectNode
      Option(metadata.get(Collations)).foreach {
        case written: ObjectNode =>
          written.properties.asScala.foreach { entry =>
            (position(entry.getKey), entry.getValue) match {
              case (Some(position), identifier: TextNode)
                  if speaks(entry.getKey, position, written) =>
                requireString(position)
                divide(position, identifier.asText, spelling(identifier.asText), forSpark, aside)
              case (_, other) =>
                aside.withObjectProperty("others").set[JsonNode](entry.getKey, other)
            }
          }
        case malformed => aside.set[JsonNode]("malformed", malformed)
      }
      put(forSpark)
      if (!aside.isEmpty) metadata.put(AsWritten, LogJson.write(aside)): Unit
    }

    /** Where the same string is named twice, once by its physical name, the logical name is heard. */
    private def speaks(path: String, position: String, written: ObjectNode): Boolean =
      path == name + position || !written.has(name + position)

    private def divide(
        position: String,
        written: String,
        read: Option[String],
        forSpark: ObjectNode,
        aside: ObjectNode
    ): Unit =
      // A name for the default order says nothing, and the RFC does not let it be written.
      if (!read.contains(BinaryId)) {
        read.foreach(forSpark.put(name + position, _))
        if (!read.contains(written))
          aside
            .withObjectProperty("strings")
            .withObjectProperty(position)
            .put("written", written)
            .put("read", read.orNull): Unit
      }

    def bringBack(): Unit = {
      val collations = Option(metadata.get(Collations)).collect { case found: ObjectNode => found }
        .getOrElse(json.createObjectNode)
      // A log may hold this too, and anything in it.
      Option(metadata.get(AsWritten)).flatMap(text => LogJson.read(text.asText)).foreach { aside =>
        aside.path("strings").properties.asScala.foreach { entry =>
          val (position, path) = (entry.getKey, name + entry.getKey)
          val now = Option(collations.get(path)).map(_.asText)
          val read = Option(entry.getValue.get("read")).filter(_.isTextual).map(_.asText)
          Option(entry.getValue.get("written")).filter(_.isTextual).foreach { written =>
            if (FieldType.at(field, position).contains("string") && now == read)
              collations.set[JsonNode](path, written)
          }
        }
        aside.path("others").properties.asScala.foreach { entry =>
          if (!collations.has(entry.getKey)) collations.set[JsonNode](entry.getKey, entry.getValue)
        }
        if (aside.has("malformed") && collations.isEmpty)
          metadata.set[JsonNode](Collations, aside.get("malformed"))
      }
      metadata.remove(AsWritten)
      val plain = collations.properties.asScala.filter(_.getValue.asText == BinaryId).map(_.getKey)
      collations.remove(plain.toSeq.asJava)
      if (metadata.path(Collations).isObject || !metadata.has(Collations)) put(collations)
    }

    private def put(collations: ObjectNode): Unit =
      if (collations.isEmpty) metadata.remove(Collations): Unit
      else metadata.set[JsonNode](Collations, collations): Unit

    /**
     * The part of `path` behind the field's name, such as `.element`, if it leads to anything. Spark
     * and Kernel write the logical name; the physical one is understood as well.
     */
    private def position(path: String): Option[String] =
      Seq(name, physicalName).distinct
        // Spark sees no steps behind a name without letters.
        .filter(prefix => path == prefix || prefix.nonEmpty && path.startsWith(s"$prefix."))
        .map(prefix => path.stripPrefix(prefix))
        .find(position => FieldType.at(field, position).isDefined)

    private def requireString(position: String): Unit = {
      val found = FieldType.at(field, position).getOrElse("nothing")
      if (found.matches("(var)?char\\(\\d+\\)"))
        throw CollationsErrors.fixedLengthUnsupported(name, found.toUpperCase(Locale.ROOT))
      if (found != "string") throw CollationsErrors.schemaMalformed(name + position, found)
    }
  }

  private object FieldCollations {

    /** None without metadata; and what is there in its place is no schema, which Spark will say. */
    def of(field: ObjectNode): Option[FieldCollations] =
      Option(field.get("metadata")).collect { case metadata: ObjectNode =>
        new FieldCollations(field, metadata)
      }
  }

  /** The type of a field, below which positions are counted: `.element`, `.key`, `.value`. */
  private object FieldType {

    private val steps =
      Map("element" -> "elementType", "key" -> "keyType", "value" -> "valueType")

    /** The types directly inside an array or a map. */
    def children(dataType: JsonNode): Seq[JsonNode] =
      steps.values.toSeq.filter(dataType.has).map(dataType.get)

    /** The name of the type at `position`; a struct ends the way, as its fields speak for themselves. */
    def at(field: JsonNode, position: String): Option[String] = {
      val path = if (position.isEmpty) Nil else position.stripPrefix(".").split("\\.", -1).toSeq
      val steppedTo = path.foldLeft(Option(field.get("type"))) { (here, step) =>
        for (inner <- here; child <- steps.get(step); found <- Option(inner.get(child))) yield found
      }
      steppedTo.flatMap { found =>
        if (found.isTextual) Some(found.asText)
        else Option(found.path("type").asText).filter(_.nonEmpty)
      }
    }

    /** Replaces the names of simple types of the field, in arrays and maps too. */
    def replaceStrings(field: ObjectNode)(change: String => String): Unit = {
      def below(parent: ObjectNode, key: String): Unit = parent.get(key) match {
        case name: TextNode => parent.put(key, change(name.asText)): Unit
        case inner: ObjectNode => steps.values.foreach(below(inner, _))
        case _ => ()
      }
      below(field, "type")
    }
  }
}
