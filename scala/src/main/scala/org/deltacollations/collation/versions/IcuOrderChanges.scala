// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions

import java.util.concurrent.ConcurrentHashMap

import scala.io.Source
import scala.util.Using

import org.deltacollations.collation.unicode.CodePointSet
import org.deltacollations.protocol.CollationId

/**
 * Lists the code points whose order changes between versions of ICU. `docs/icu-upgrades.md` has the
 * proof, and `./dev bench icu-order-changes` derives the list again.
 *
 * @param steps
 *   from each version to the next, oldest first
 */
final class IcuOrderChanges(steps: Seq[IcuOrderChanges.Step]) {

  /** The ICU versions that are covered. */
  val versions: Seq[String] = steps.map(_.from) ++ steps.lastOption.map(_.to)

  /**
   * Returns the code points that the two versions may order or equate differently under a collation,
   * alone or next to others. Strings without them compare alike. Returns `None` if nothing is proven.
   *
   * The result does not depend on whether the collation ignores case, accents or trailing spaces,
   * because it covers every level of the comparison.
   */
  def changedCodePoints(
      collation: String,
      oneVersion: String,
      otherVersion: String
  ): Option[CodePointSet] = {
    val indexes = Seq(oneVersion, otherVersion).map(versions.indexOf)
    val key = IcuOrderChanges.Suffixes.replaceFirstIn(collation, "")
    if (indexes.contains(-1) || !steps.exists(_.changedCodePoints.contains(key))) Option.empty
    else
      cache.computeIfAbsent(
        (key, indexes.min, indexes.max),
        { case (key, from, to) => between(key, from, to) }
      )
  }

  /** Does the same for two versioned identifiers of one collation. */
  def changedCodePoints(one: CollationId, other: CollationId): Option[CodePointSet] = for {
    oneVersion <- one.version
    otherVersion <- other.version
    changed <- changedCodePoints(one.name, oneVersion, otherVersion)
  } yield changed

  /** Callers look the same collation and versions up for every file of a table. */
  private val cache = new ConcurrentHashMap[(String, Int, Int), Option[CodePointSet]]

  private def between(key: String, from: Int, to: Int): Option[CodePointSet] =
    steps.slice(from, to).map(_.changedCodePoints.get(key))
      .foldLeft(Option(CodePointSet.Empty)) { (union, step) =>
        union.flatMap(changed => step.map(changed ++ _))
      }
}

object IcuOrderChanges {

  /**
   * @param changedCodePoints
   *   by the collation name without suffixes: the locale, `UNICODE`, `UTF8_LCASE` or `UTF8_BINARY`
   */
  final case class Step(from: String, to: String, changedCodePoints: Map[String, CodePointSet])

  /** The list in the jar of this library. */
  lazy val shipped: IcuOrderChanges =
    Using.resource(Source.fromInputStream(getClass.getResourceAsStream(s"/$Resource"), "UTF-8")) {
      source => read(source.getLines())
    }

  val Resource: String = "icu-order-changes.tsv"

  /** Reads lines of two versions, collation names and changed code points, separated by tabs. */
  def read(lines: Iterator[String]): IcuOrderChanges = {
    val entries = lines.filterNot(line => line.isEmpty || line.startsWith("#"))
      .map(_.split("\t", -1)).toSeq
    val pairs = entries.map(entry => entry(0) -> entry(1)).distinct
    new IcuOrderChanges(pairs.map { case (from, to) =>
      val changed = for {
        entry <- entries if entry(0) == from && entry(1) == to
        name <- entry(2).split(' ')
      } yield name -> CodePointSet.parse(entry(3)).get
      Step(from, to, changed.toMap)
    })
  }

  /** The suffixes of a collation name that do not change its collation elements. */
  private val Suffixes = "(?:_(?:CS|CI|AS|AI|RTRIM))+$".r
}
