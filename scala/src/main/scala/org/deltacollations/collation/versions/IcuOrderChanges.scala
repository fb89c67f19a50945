// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions

import java.util.concurrent.ConcurrentHashMap

import scala.io.Source
import scala.util.Using

import org.deltacollations.collation.unicode.CodePointSet
import org.deltacollations.protocol.CollationId

/**
 * What is proven of how versions of ICU order strings. `docs/upgrades.md` has the argument, and
 * `./dev bench certificates` derives them anew.
 *
 * @param steps
 *   from one version to the next, oldest first
 */
final class IcuOrderChanges(steps: Seq[IcuOrderChanges.Step]) {

  /** The versions that something is known about. */
  val versions: Seq[String] = steps.map(_.from) ++ steps.lastOption.map(_.to)

  /**
   * The characters that both versions may order or equal differently under a collation, or one of
   * them beside others. Strings without them compare alike. None if nothing is proven.
   *
   * A collation may ignore case, accents and spaces at the end; the answer is one for all of these,
   * since it is about every level of the comparison.
   */
  def affected(collation: String, one: String, other: String): Option[CodePointSet] = {
    val ends = Seq(one, other).map(versions.indexOf)
    val key = IcuOrderChanges.Options.replaceFirstIn(collation, "")
    if (ends.contains(-1) || !steps.exists(_.affected.contains(key))) Option.empty
    else known.computeIfAbsent((key, ends.min, ends.max), _ => between(key, ends.min, ends.max))
  }

  /** The same of two versioned identifiers of one collation. */
  def affected(one: CollationId, other: CollationId): Option[CodePointSet] = for {
    from <- one.version
    to <- other.version
    found <- affected(one.name, from, to)
  } yield found

  /** What was asked before: it is asked for every file of a table. */
  private val known = new ConcurrentHashMap[(String, Int, Int), Option[CodePointSet]]

  private def between(key: String, from: Int, to: Int): Option[CodePointSet] =
    steps.slice(from, to).map(_.affected.get(key))
      .foldLeft(Option(CodePointSet.None)) { (sum, step) =>
        sum.flatMap(known => step.map(known ++ _))
      }
}

object IcuOrderChanges {

  /**
   * @param affected
   *   by what collations have in common: the locale, `UNICODE`, `UTF8_LCASE` or `UTF8_BINARY`
   */
  final case class Step(from: String, to: String, affected: Map[String, CodePointSet])

  /** Those that the jar carries. */
  lazy val shipped: IcuOrderChanges =
    Using.resource(Source.fromInputStream(getClass.getResourceAsStream(s"/$Resource"), "UTF-8")) {
      source => read(source.getLines())
    }

  val Resource: String = "icu-order-changes.tsv"

  /** Two versions, names and the characters that are affected, with tabs between. */
  def read(lines: Iterator[String]): IcuOrderChanges = {
    val entries = lines.filterNot(line => line.isEmpty || line.startsWith("#"))
      .map(_.split("\t", -1)).toSeq
    val pairs = entries.map(entry => entry(0) -> entry(1)).distinct
    new IcuOrderChanges(pairs.map { case (from, to) =>
      val affected = for {
        entry <- entries if entry(0) == from && entry(1) == to
        name <- entry(2).split(' ')
      } yield name -> CodePointSet.parse(entry(3)).get
      Step(from, to, affected.toMap)
    })
  }

  /** What may follow, in the name of a collation, on what it orders by. */
  private val Options = "(?:_(?:CS|CI|AS|AI|RTRIM))+$".r
}
