// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.scan

import scala.collection.mutable

import org.apache.spark.util.AccumulatorV2

/**
 * Records in which collations the bounds were that a scan has compared, if they differ from the
 * collation of the query. Executors know the collations by their indexes.
 */
final class BoundsUse {

  val accumulator: BoundsUse.Accumulator = new BoundsUse.Accumulator

  private val entries = mutable.ArrayBuffer.empty[BoundsUse.Entry]

  /**
   * @param compared
   *   the name of the collation that the query compares the column by
   * @param bounds
   *   the name of the collation of the bounds
   */
  def indexOf(column: String, compared: String, bounds: String): Int = {
    val entry = BoundsUse.Entry(column, compared, bounds)
    if (!entries.contains(entry)) entries += entry
    entries.indexOf(entry)
  }

  /** Returns the entries with bounds in another collation than that of the query. */
  def ofOtherCollations: Seq[BoundsUse.Entry] =
    accumulator.value.toSeq.sorted.map(entries).filter(entry => entry.bounds != entry.compared)
}

object BoundsUse {

  final case class Entry(column: String, compared: String, bounds: String)

  /** Collects indexes. Adding one twice has no effect, so a file may be evaluated more than once. */
  final class Accumulator extends AccumulatorV2[java.lang.Integer, Set[Int]] {

    private var used = Set.empty[Int]

    override def add(index: java.lang.Integer): Unit = if (!used(index)) used += index

    override def merge(other: AccumulatorV2[java.lang.Integer, Set[Int]]): Unit =
      used ++= other.value

    override def value: Set[Int] = used

    override def isZero: Boolean = used.isEmpty

    override def reset(): Unit = used = Set.empty

    override def copy(): Accumulator = {
      val copied = new Accumulator
      copied.merge(this)
      copied
    }
  }
}
