// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import java.util.Locale

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

/**
 * Makes statistics fit to be parsed into a struct, where JSON can say what a struct cannot: that a
 * bound is no string, and two spellings of one name. A parser would make strings of numbers and
 * lists, and those would bound nothing; and a file of Parquet with both spellings cannot be read.
 */
object ParsedStatsSanitizer {

  /**
   * The name of the field for each of the identifiers, with `own` among the fields already. Spellings
   * of one identifier share a field. Versions are never put together, so one that differs from
   * another only in the case of its letters has none; nor has what Spark alone would take for another,
   * or what cannot name a field.
   */
  def fields(identifiers: Set[String], own: Set[String]): Map[String, String] =
    (identifiers.filter(canBeNamed) ++ own).groupBy(folded).values
      .flatMap { spellings =>
        val field = spellings.find(own).getOrElse(spellings.min)
        spellings.filter(areOne(_, field)).map(_ -> field)
      }.toMap

  /**
   * `stats` with bounds of `columns` that are strings, and identifiers named as in `fields`.
   *
   * Spark's parser makes something of texts that are nothing to us: it stops at the end of the first
   * object, takes one of two values for a name, and what stands before a break. So such a text comes
   * without its collated bounds, or not at all.
   */
  def legible(stats: String, columns: Seq[Seq[String]], fields: Map[String, String]): String =
    StatsJson.read(stats).fold(withoutCollated(stats, columns)) { _ =>
      legibleFields(stats, columns, fields)
    }

  private def withoutCollated(stats: String, columns: Seq[Seq[String]]): String =
    LogJson.read(stats).collect { case found: ObjectNode =>
      keepStrings(found, columns)
      found.remove(StatsNames.Collated)
      LogJson.write(found)
    }.orNull

  private def legibleFields(
      stats: String,
      columns: Seq[Seq[String]],
      fields: Map[String, String]
  ): String =
    StatsJson.changed(stats) { found =>
      keepStrings(found, columns)
      val keys = StatsJson.objectAt(found, StatsNames.Collated).toSeq.flatMap(_.properties.asScala)
        .flatMap(entry => fields.get(entry.getKey).map(_ -> entry.getValue))
      found.remove(StatsNames.Collated)
      keys.groupMap(_._1)(_._2).foreach {
        case (field, Seq(bounds: ObjectNode)) =>
          keepStrings(bounds, columns)
          found.withObjectProperty(StatsNames.Collated).set[JsonNode](field, bounds)
        // Two spellings in one file may disagree, and nothing is always true.
        case _ => ()
      }
    }

  /** Longer names of collations and versions do not exist. */
  val LongestIdentifier: Int = 200

  /**
   * Each is a field for every string of the table, so their number must not be anybody's choice. No
   * table has so many collations and versions.
   */
  val MostIdentifiers: Int = 64

  private def canBeNamed(identifier: String): Boolean =
    identifier.nonEmpty && identifier.length <= LongestIdentifier &&
      LogJson.isWhole(identifier) && !identifier.exists(Character.isISOControl)

  /** For Spark, which takes letters for one that differ in lower case only, or in upper case only. */
  private def folded(identifier: String): String =
    identifier.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT)

  private def areOne(one: String, other: String): Boolean =
    one.toLowerCase(Locale.ROOT) == other.toLowerCase(Locale.ROOT) &&
      version(one) == version(other)

  private def version(identifier: String): Option[String] =
    CollationId.parse(identifier).flatMap(_.version)

  private def keepStrings(bounds: ObjectNode, columns: Seq[Seq[String]]): Unit =
    for {
      end <- Seq(StatsNames.Min, StatsNames.Max)
      column <- columns
    } keepString(bounds, end +: column)

  private def keepString(node: ObjectNode, path: Seq[String]): Unit =
    (Option(node.get(path.head)), path.tail) match {
      case (Some(inner: ObjectNode), rest) if rest.nonEmpty => keepString(inner, rest)
      case (Some(leaf), Nil) if StatsJson.isBound(leaf) => ()
      case (Some(_), _) => node.remove(path.head): Unit
      case (None, _) => ()
    }
}
