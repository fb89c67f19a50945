// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import java.util.Locale

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.{ObjectNode, TextNode}
import org.deltacollations.errors.CollationsErrors

/**
 * Converts a table schema between the form in the log and the form that Spark reads.
 *
 * Spark fails on unsupported collations and has its own spelling of the supported ones. So entries
 * that Spark cannot read are stashed in the metadata of the field, where they survive all schema
 * changes that Delta makes, and are restored verbatim before the schema is written. RFC, "Specifying
 * collations in the table schema".
 *
 * Strings that are not a schema are unchanged, so that Delta reports its own error.
 */
object SchemaJson {

  val Collations = "__COLLATIONS"

  /** The key of the stash. It is never written to the log. */
  private val AsWritten = "__COLLATIONS_AS_WRITTEN"

  private[protocol] val BinaryId = "spark.UTF8_BINARY"

  private val ExplicitBinary = "(?i)string\\s+collate\\s+UTF8_BINARY"

  private val json = LogJson.json

  /** Whether any field has a collation, supported or not. */
  def hasCollations(text: String): Boolean = collatedFields(text).nonEmpty

  /** Returns the names of the fields that have a collation, supported or not. */
  def collatedFields(text: String): Seq[String] =
    if (text == null || !text.contains(Collations)) Nil
    else
      LogJson.read(text).toSeq.flatMap(fields)
        .filter(_.path("metadata").has(Collations))
        .map(_.path("name").asText)

  /**
   * Returns the schema for Spark.
   *
   * @param canonicalId
   *   maps an identifier of the log to Spark's spelling, or to `None` if Spark does not support the
   *   collation. That string is then read as `UTF8_BINARY`, as the RFC requires of such readers
   */
  def forSpark(text: String, canonicalId: String => Option[String]): String =
    modified(text, Collations)(FieldCollations.of(_).foreach(_.stash(canonicalId)))

  /** Returns the schema for the log: restores the stash and writes binary strings as `string`. */
  def forLog(text: String): String =
    modified(text, AsWritten, "string collate", BinaryId) { field =>
      FieldCollations.of(field).foreach(_.restore())
      FieldType.replaceNames(field)(name => if (name.matches(ExplicitBinary)) "string" else name)
    }

  /** Modifies every field. Skips parsing for schemas that contain none of `words`, i.e. most. */
  private def modified(text: String, words: String*)(modify: ObjectNode => Unit): String =
    if (text == null || !words.exists(text.contains)) text
    else
      LogJson.read(text).fold(text) { schema =>
        val before = schema.deepCopy[JsonNode]()
        fields(schema).foreach(modify)
        // A forged stash may be nested deeper than Jackson can write.
        if (schema == before) text else Try(LogJson.write(schema)).getOrElse(text)
      }

  /** Returns the fields at all depths. */
  private def fields(dataType: JsonNode): Seq[ObjectNode] =
    FieldType.children(dataType).flatMap(fields) ++
      dataType.path("fields").elements.asScala.toSeq.collect { case field: ObjectNode =>
        fields(field.path("type")) :+ field
      }.flatten

  /** The collations of one field. Positions are relative to the field, so they survive a rename. */
  final private class FieldCollations(field: ObjectNode, metadata: ObjectNode) {

    private val name = field.path("name").asText

    private val physicalName = metadata.path("delta.columnMapping.physicalName").asText(name)

    def stash(canonicalId: String => Option[String]): Unit = {
      val forSpark, stashed = json.createObjectNode
      Option(metadata.get(Collations)).foreach {
        case entries: ObjectNode =>
          entries.properties.asScala.foreach { entry =>
            (position(entry.getKey), entry.getValue) match {
              case (Some(position), identifier: TextNode)
                  if takesPrecedence(entry.getKey, position, entries) =>
                requireString(position)
                val written = identifier.asText
                addEntry(position, written, canonicalId(written), forSpark, stashed)
              case (_, other) =>
                stashed.withObjectProperty("others").set[JsonNode](entry.getKey, other)
            }
          }
        case malformed => stashed.set[JsonNode]("malformed", malformed)
      }
      put(forSpark)
      if (!stashed.isEmpty) metadata.put(AsWritten, LogJson.write(stashed)): Unit
    }

    /** If a string has entries for both names, the one with the logical name is used. */
    private def takesPrecedence(path: String, position: String, entries: ObjectNode): Boolean =
      path == name + position || !entries.has(name + position)

    private def addEntry(
        position: String,
        written: String,
        read: Option[String],
        forSpark: ObjectNode,
        stashed: ObjectNode
    ): Unit =
      // An explicit UTF8_BINARY has no effect, and the RFC does not allow writing it.
      if (!read.contains(BinaryId)) {
        read.foreach(forSpark.put(name + position, _))
        if (!read.contains(written))
          stashed
            .withObjectProperty("strings")
            .withObjectProperty(position)
            .put("written", written)
            .put("read", read.orNull): Unit
      }

    /** Restores an entry of the stash unless its collation was changed since. */
    def restore(): Unit = {
      val collations =
        Option(metadata.get(Collations)).collect { case entries: ObjectNode => entries }
          .getOrElse(json.createObjectNode)
      // The log may contain a forged stash with arbitrary content.
      Option(metadata.get(AsWritten)).flatMap(text => LogJson.read(text.asText)).foreach {
        stashed =>
          stashed.path("strings").properties.asScala.foreach { entry =>
            val (position, path) = (entry.getKey, name + entry.getKey)
            val current = Option(collations.get(path)).map(_.asText)
            val read = Option(entry.getValue.get("read")).filter(_.isTextual).map(_.asText)
            Option(entry.getValue.get("written")).filter(_.isTextual).foreach { written =>
              if (FieldType.at(field, position).contains("string") && current == read)
                collations.set[JsonNode](path, written)
            }
          }
          stashed.path("others").properties.asScala.foreach { entry =>
            if (!collations.has(entry.getKey))
              collations.set[JsonNode](entry.getKey, entry.getValue)
          }
          if (stashed.has("malformed") && collations.isEmpty)
            metadata.set[JsonNode](Collations, stashed.get("malformed"))
      }
      metadata.remove(AsWritten)
      val binary = collations.properties.asScala.filter(_.getValue.asText == BinaryId).map(_.getKey)
      collations.remove(binary.toSeq.asJava)
      if (metadata.path(Collations).isObject || !metadata.has(Collations)) put(collations)
    }

    private def put(collations: ObjectNode): Unit =
      if (collations.isEmpty) metadata.remove(Collations): Unit
      else metadata.set[JsonNode](Collations, collations): Unit

    /**
     * Returns the part of `path` after the field name, such as `.element`, if a type exists there.
     * Spark and Kernel write the logical name; the physical name is accepted too.
     */
    private def position(path: String): Option[String] =
      Seq(name, physicalName).distinct
        // Spark does not resolve steps after an empty name.
        .filter(prefix => path == prefix || prefix.nonEmpty && path.startsWith(s"$prefix."))
        .map(prefix => path.stripPrefix(prefix))
        .find(position => FieldType.at(field, position).isDefined)

    private def requireString(position: String): Unit = {
      val found = FieldType.at(field, position).getOrElse("nothing")
      if (found.matches("(var)?char\\(\\d+\\)"))
        throw CollationsErrors.unsupportedCharVarcharColumn(name, found.toUpperCase(Locale.ROOT))
      if (found != "string") throw CollationsErrors.invalidSchema(name + position, found)
    }
  }

  private object FieldCollations {

    /** Returns `None` if the metadata is missing, or malformed, which Spark reports as an error. */
    def of(field: ObjectNode): Option[FieldCollations] =
      Option(field.get("metadata")).collect { case metadata: ObjectNode =>
        new FieldCollations(field, metadata)
      }
  }

  /** Navigates in the type of a field by positions such as `.element`, `.key` and `.value`. */
  private object FieldType {

    private val steps =
      Map("element" -> "elementType", "key" -> "keyType", "value" -> "valueType")

    /** Returns the element, key and value types of an array or a map. */
    def children(dataType: JsonNode): Seq[JsonNode] =
      steps.values.toSeq.filter(dataType.has).map(dataType.get)

    /**
     * Returns the name of the type at `position`. Does not enter structs, because their fields have
     * their own collations.
     */
    def at(field: JsonNode, position: String): Option[String] = {
      val path = if (position.isEmpty) Nil else position.stripPrefix(".").split("\\.", -1).toSeq
      val dataType = path.foldLeft(Option(field.get("type"))) { (parent, step) =>
        for (outer <- parent; child <- steps.get(step); inner <- Option(outer.get(child)))
          yield inner
      }
      dataType.flatMap { found =>
        if (found.isTextual) Some(found.asText)
        else Option(found.path("type").asText).filter(_.nonEmpty)
      }
    }

    /** Replaces the names of atomic types in the field, including those in arrays and maps. */
    def replaceNames(field: ObjectNode)(replace: String => String): Unit = {
      def replaceIn(parent: ObjectNode, key: String): Unit = parent.get(key) match {
        case name: TextNode => parent.put(key, replace(name.asText)): Unit
        case inner: ObjectNode => steps.values.foreach(replaceIn(inner, _))
        case _ => ()
      }
      replaceIn(field, "type")
    }
  }
}
