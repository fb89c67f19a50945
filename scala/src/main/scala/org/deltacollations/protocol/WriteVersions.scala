// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import scala.collection.immutable.SortedMap
import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

/**
 * What the domain `collations` says: for each collation, the versions under which writers leave
 * statistics. RFC, "Collation versions".
 *
 * It is a hint, which any engine may change and no reader depends on. So whatever cannot be read
 * counts as not there, and what others wrote stays, as far as it has the form the RFC asks for.
 *
 * @param versions
 *   by identifier without version, each list in the order in which the versions came
 * @param foreign
 *   keys beside `writeVersions`, which are not ours to judge
 */
final case class WriteVersions private (
    private val versions: SortedMap[String, Seq[String]],
    private val foreign: SortedMap[String, JsonNode]
) {

  def lists(id: CollationId): Boolean =
    id.version.exists(of(id).contains)

  /** The versions of a collation, whatever its own. */
  def of(id: CollationId): Seq[String] = versions.getOrElse(id.unversioned.toString, Nil)

  /** These and the versions of `ids`; an identifier without a version has none to add. */
  def including(ids: Iterable[CollationId]): WriteVersions =
    ids.foldLeft(this)((all, id) => all.including(id.unversioned.toString, id.version.toSeq))

  /** Everything this says and everything `other` says; of a foreign key, what this says. */
  def merged(other: WriteVersions): WriteVersions = {
    val both = other.versions.foldLeft(this) { case (all, (key, added)) =>
      all.including(key, added)
    }
    both.copy(foreign = other.foreign ++ foreign)
  }

  private def including(key: String, added: Seq[String]): WriteVersions =
    copy(versions = versions.updated(key, (versions.getOrElse(key, Nil) ++ added).distinct))

  /** The configuration of the domain, the same text for the same content. */
  override def toString: String = {
    val configuration = LogJson.json.createObjectNode
    val lists = configuration.putObject(WriteVersions.Key)
    versions.foreach { case (key, list) =>
      val array = lists.putArray(key)
      list.foreach(array.add)
    }
    LogJson.write(configuration.setAll[ObjectNode](foreign.asJava))
  }
}

object WriteVersions {

  private val Key = "writeVersions"

  /** Part of an older form of the RFC; what was in it means nothing any more, so it is let go. */
  private val OldKey = "readVersions"

  /** Reads whatever a table has there, be it nothing at all. */
  def read(configuration: String): WriteVersions = {
    val entries = LogJson.read(configuration).fold(Map.empty[String, JsonNode])(fields)
    WriteVersions(
      SortedMap.from(entries.get(Key).fold(Map.empty[String, JsonNode])(fields).collect {
        case (key, list) if list.isArray => key -> texts(list)
      }),
      SortedMap.from(entries - Key - OldKey)
    )
  }

  private def fields(node: JsonNode): Map[String, JsonNode] =
    node.properties.asScala.map(entry => entry.getKey -> entry.getValue).toMap

  private def texts(list: JsonNode): Seq[String] =
    list.elements.asScala.filter(_.isTextual).map(_.asText).distinct.toSeq
}
