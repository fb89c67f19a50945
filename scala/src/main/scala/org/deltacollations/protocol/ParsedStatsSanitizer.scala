// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import java.util.Locale

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

/**
 * Prepares statistics in JSON for `stats_parsed`, a struct in checkpoints.
 *
 * A struct cannot represent everything that JSON can. Spark's parser turns numbers and arrays into
 * strings, which are not bounds of anything, and a Parquet file with two spellings of one field name
 * cannot be read.
 */
object ParsedStatsSanitizer {

  /**
   * Maps identifiers to field names of the struct, which has the fields `own` in any case.
   *
   * Spellings of one identifier share a field, but versions never do: of two identifiers whose
   * versions differ only in case, one has no field. The same holds for identifiers that are equal
   * only for Spark. Identifiers that are not valid field names have none.
   */
  def fieldNames(identifiers: Set[String], own: Set[String]): Map[String, String] =
    (identifiers.filter(isValidFieldName) ++ own).groupBy(normalized).values
      .flatMap { spellings =>
        val field = spellings.find(own).getOrElse(spellings.min)
        spellings.filter(isSameIdentifier(_, field)).map(_ -> field)
      }.toMap

  /**
   * Returns `stats` without bounds of `columns` that are not strings, and with identifiers renamed to
   * the names in `fields`.
   *
   * Spark's parser accepts malformed JSON that this extension rejects: it stops at the end of the
   * first object, chooses one of duplicate keys, and keeps the fields before a syntax error. For such
   * JSON, the collated bounds are removed, or null is returned.
   */
  def sanitized(stats: String, columns: Seq[Seq[String]], fields: Map[String, String]): String =
    StatsJson.read(stats).fold(withoutCollatedBounds(stats, columns)) { _ =>
      withFieldNames(stats, columns, fields)
    }

  private def withoutCollatedBounds(stats: String, columns: Seq[Seq[String]]): String =
    LogJson.read(stats).collect { case node: ObjectNode =>
      removeInvalidBounds(node, columns)
      node.remove(StatsNames.Collated)
      LogJson.write(node)
    }.orNull

  private def withFieldNames(
      stats: String,
      columns: Seq[Seq[String]],
      fields: Map[String, String]
  ): String =
    StatsJson.modified(stats) { node =>
      removeInvalidBounds(node, columns)
      val entries =
        StatsJson.objectAt(node, StatsNames.Collated).toSeq.flatMap(_.properties.asScala)
          .flatMap(entry => fields.get(entry.getKey).map(_ -> entry.getValue))
      node.remove(StatsNames.Collated)
      entries.groupMap(_._1)(_._2).foreach {
        case (field, Seq(bounds: ObjectNode)) =>
          removeInvalidBounds(bounds, columns)
          node.withObjectProperty(StatsNames.Collated).set[JsonNode](field, bounds)
        // Two spellings in one file may disagree. Having no bounds is always correct.
        case _ => ()
      }
    }

  /** Longer than any existing collation name with its version. */
  val MaxIdentifierLength: Int = 200

  /**
   * Limits the size of the struct, which has one field per identifier for every string column. Tables
   * do not have this many collations and versions, but a forged log may.
   */
  val MaxIdentifiers: Int = 64

  private def isValidFieldName(identifier: String): Boolean =
    identifier.nonEmpty && identifier.length <= MaxIdentifierLength &&
      LogJson.hasNoLoneSurrogate(identifier) && !identifier.exists(Character.isISOControl)

  /** Folds case as Spark does: characters are equal if their lowercase or their uppercase is. */
  private def normalized(identifier: String): String =
    identifier.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT)

  private def isSameIdentifier(one: String, other: String): Boolean =
    one.toLowerCase(Locale.ROOT) == other.toLowerCase(Locale.ROOT) &&
      version(one) == version(other)

  private def version(identifier: String): Option[String] =
    CollationId.parse(identifier).flatMap(_.version)

  private def removeInvalidBounds(bounds: ObjectNode, columns: Seq[Seq[String]]): Unit =
    for {
      side <- StatsNames.MinAndMax
      column <- columns
    } removeUnlessBound(bounds, side +: column)

  private def removeUnlessBound(node: ObjectNode, path: Seq[String]): Unit =
    (Option(node.get(path.head)), path.tail) match {
      case (Some(inner: ObjectNode), rest) if rest.nonEmpty => removeUnlessBound(inner, rest)
      case (Some(leaf), Nil) if StatsJson.isBound(leaf) => ()
      case (Some(_), _) => node.remove(path.head): Unit
      case (None, _) => ()
    }
}
