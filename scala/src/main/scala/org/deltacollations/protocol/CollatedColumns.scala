// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode

/**
 * A collated string of a table, as the schema in the log has it.
 *
 * @param path
 *   the names from the top; `element`, `key` and `value` lead into arrays and maps
 * @param physical
 *   the same by the names that files know
 * @param position
 *   of the column at the top, counted from 1
 */
final case class CollatedColumn(
    path: Seq[String],
    physical: Seq[String],
    identifier: String,
    position: Int,
    isInCollection: Boolean
)

/** All collated strings of a schema, those that no engine here knows the collation of too. */
object CollatedColumns {

  def of(schema: String): Seq[CollatedColumn] =
    if (!SchemaJson.hasCollations(schema)) Nil
    else
      LogJson.read(schema).toSeq.flatMap(fields).zipWithIndex.flatMap { case (field, index) =>
        ofField(field, Place(Nil, Nil, index + 1, isInCollection = false))
      }

  private case class Place(
      path: Seq[String],
      physical: Seq[String],
      position: Int,
      isInCollection: Boolean
  ) {

    def field(name: String, physicalName: String): Place =
      copy(path = path :+ name, physical = physical :+ physicalName)

    def step(name: String): Place = field(name, name).copy(isInCollection = true)
  }

  private def fields(struct: JsonNode): Seq[JsonNode] =
    struct.path("fields").elements.asScala.toSeq

  private def ofField(field: JsonNode, parent: Place): Seq[CollatedColumn] = {
    val name = field.path("name").asText
    val metadata = field.path("metadata")
    val physicalName = metadata.path("delta.columnMapping.physicalName").asText(name)
    val collations = metadata.path(SchemaJson.Collations)

    def inType(dataType: JsonNode, steps: String, place: Place): Seq[CollatedColumn] = {
      def inside(child: String, step: String) =
        inType(dataType.path(child), s"$steps.$step", place.step(step))
      if (dataType.isTextual)
        Seq(name, physicalName).map(start => collations.path(start + steps))
          .find(_.isTextual).map(_.asText)
          .filter(identifier => dataType.asText == "string" && identifier != SchemaJson.BinaryId)
          .map(CollatedColumn(place.path, place.physical, _, place.position, place.isInCollection))
          .toSeq
      else
        dataType.path("type").asText match {
          case "struct" => fields(dataType).flatMap(ofField(_, place))
          case "array" => inside("elementType", "element")
          case "map" => inside("keyType", "key") ++ inside("valueType", "value")
          case _ => Nil
        }
    }

    inType(field.path("type"), "", parent.field(name, physicalName))
  }
}
