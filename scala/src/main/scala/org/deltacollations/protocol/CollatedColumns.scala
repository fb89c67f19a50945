// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode

/**
 * A collated string in the schema of a table.
 *
 * @param path
 *   the names from the top-level column down, with `element`, `key` and `value` for the steps into
 *   arrays and maps
 * @param physicalPath
 *   the same path with physical column names
 * @param identifier
 *   the collation as the schema spells it
 * @param position
 *   of the top-level column, starting at 1
 */
final case class CollatedColumn(
    path: Seq[String],
    physicalPath: Seq[String],
    identifier: String,
    position: Int,
    isInCollection: Boolean
)

/** Finds all collated strings in a schema, including those with unsupported collations. */
object CollatedColumns {

  def of(schema: String): Seq[CollatedColumn] =
    if (!SchemaJson.hasCollations(schema)) Nil
    else
      LogJson.read(schema).toSeq.flatMap(fields).zipWithIndex.flatMap { case (field, index) =>
        inField(field, Location(Nil, Nil, index + 1, isInCollection = false))
      }

  private case class Location(
      path: Seq[String],
      physicalPath: Seq[String],
      position: Int,
      isInCollection: Boolean
  ) {

    def field(name: String, physicalName: String): Location =
      copy(path = path :+ name, physicalPath = physicalPath :+ physicalName)

    def step(name: String): Location = field(name, name).copy(isInCollection = true)
  }

  private def fields(struct: JsonNode): Seq[JsonNode] =
    struct.path("fields").elements.asScala.toSeq

  private def inField(field: JsonNode, parent: Location): Seq[CollatedColumn] = {
    val name = field.path("name").asText
    val metadata = field.path("metadata")
    val physicalName = metadata.path("delta.columnMapping.physicalName").asText(name)
    val collations = metadata.path(SchemaJson.Collations)

    def inType(dataType: JsonNode, steps: String, location: Location): Seq[CollatedColumn] = {
      def inChild(child: String, step: String) =
        inType(dataType.path(child), s"$steps.$step", location.step(step))
      if (dataType.isTextual)
        Seq(name, physicalName).map(start => collations.path(start + steps))
          .find(_.isTextual).map(_.asText)
          .filter(identifier => dataType.asText == "string" && identifier != SchemaJson.BinaryId)
          .map(CollatedColumn(
            location.path,
            location.physicalPath,
            _,
            location.position,
            location.isInCollection
          ))
          .toSeq
      else
        dataType.path("type").asText match {
          case "struct" => fields(dataType).flatMap(inField(_, location))
          case "array" => inChild("elementType", "element")
          case "map" => inChild("keyType", "key") ++ inChild("valueType", "value")
          case _ => Nil
        }
    }

    inType(field.path("type"), "", parent.field(name, physicalName))
  }
}
