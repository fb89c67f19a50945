// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import scala.collection.immutable.SortedMap
import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

/**
 * The configuration of the domain `collations`: for each collation, the versions for which writers
 * collect statistics. RFC, "Collation versions".
 *
 * The list is a hint that any engine may change and no reader depends on. So malformed parts are
 * ignored, and entries of other writers are kept if they have the form that the RFC requires.
 *
 * @param versions
 *   by unversioned identifier, in the order in which they were added
 * @param unknownFields
 *   the fields next to `writeVersions`
 */
final case class WriteVersions private (
    private val versions: SortedMap[String, Seq[String]],
    private val unknownFields: SortedMap[String, JsonNode]
) {

  def contains(id: CollationId): Boolean = id.version.exists(versionsOf(id).contains)

  /** Returns the versions of a collation, ignoring the version of `id`. */
  def versionsOf(id: CollationId): Seq[String] = versions.getOrElse(id.unversioned.toString, Nil)

  /** Adds the versions of `ids`. An identifier without a version adds an empty list. */
  def including(ids: Iterable[CollationId]): WriteVersions =
    ids.foldLeft(this)((all, id) => all.including(id.unversioned.toString, id.version.toSeq))

  /** Combines both lists. For unknown fields that both have, the value of this one wins. */
  def merged(other: WriteVersions): WriteVersions = {
    val both = other.versions.foldLeft(this) { case (all, (key, added)) =>
      all.including(key, added)
    }
    both.copy(unknownFields = other.unknownFields ++ unknownFields)
  }

  private def including(key: String, added: Seq[String]): WriteVersions =
    copy(versions = versions.updated(key, (versions.getOrElse(key, Nil) ++ added).distinct))

  /** Returns the configuration of the domain. Equal content yields equal strings. */
  override def toString: String = {
    val configuration = LogJson.json.createObjectNode
    val lists = configuration.putObject(WriteVersions.Key)
    versions.foreach { case (key, list) =>
      val array = lists.putArray(key)
      list.foreach(array.add)
    }
    LogJson.write(configuration.setAll[ObjectNode](unknownFields.asJava))
  }
}

object WriteVersions {

  private val Key = "writeVersions"

  /** A field of an earlier draft of the RFC. It has no meaning anymore, so it is dropped. */
  private val ObsoleteKey = "readVersions"

  /** Parses a configuration, which may be null or malformed. */
  def read(configuration: String): WriteVersions = {
    val entries = LogJson.read(configuration).fold(Map.empty[String, JsonNode])(fields)
    WriteVersions(
      SortedMap.from(entries.get(Key).fold(Map.empty[String, JsonNode])(fields).collect {
        case (key, list) if list.isArray => key -> strings(list)
      }),
      SortedMap.from(entries - Key - ObsoleteKey)
    )
  }

  private def fields(node: JsonNode): Map[String, JsonNode] =
    node.properties.asScala.map(entry => entry.getKey -> entry.getValue).toMap

  private def strings(list: JsonNode): Seq[String] =
    list.elements.asScala.filter(_.isTextual).map(_.asText).distinct.toSeq
}
