// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.skipping

import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.order.CollationOrder

/**
 * What a predicate asks of a string, as far as bounds can answer it: whether a file may hold one.
 * The answer is no only where none of the strings from `min` to `max` can make the predicate true.
 */
sealed trait BoundsTest {

  def mayHold(min: UTF8String, max: UTF8String, order: CollationOrder): Boolean
}

object BoundsTest {

  /** One end of a range, and whether it belongs to it. */
  final case class Limit(value: UTF8String, inclusive: Boolean)

  final case class Above(limit: Limit) extends BoundsTest {

    override def mayHold(min: UTF8String, max: UTF8String, order: CollationOrder): Boolean = {
      val side = order.compare(max, limit.value)
      side > 0 || (side == 0 && limit.inclusive)
    }
  }

  final case class Below(limit: Limit) extends BoundsTest {

    override def mayHold(min: UTF8String, max: UTF8String, order: CollationOrder): Boolean = {
      val side = order.compare(min, limit.value)
      side < 0 || (side == 0 && limit.inclusive)
    }
  }

  /** One of the values, which stand in the order; so the first that is not too small decides. */
  final case class AnyOf private (sorted: IndexedSeq[UTF8String]) extends BoundsTest {

    override def mayHold(min: UTF8String, max: UTF8String, order: CollationOrder): Boolean =
      sorted.lift(sorted.search(min)(AnyOf.ordering(order)).insertionPoint)
        .exists(order.compare(_, max) <= 0)
  }

  object AnyOf {

    def apply(values: Seq[UTF8String], order: CollationOrder): AnyOf =
      new AnyOf(values.sorted(ordering(order)).toIndexedSeq)

    private def ordering(order: CollationOrder): Ordering[UTF8String] = order.compare(_, _)
  }

  /** None of the values. Where the bounds leave room for one string only, it may be one of them. */
  final case class NoneOf(values: Seq[UTF8String]) extends BoundsTest {

    override def mayHold(min: UTF8String, max: UTF8String, order: CollationOrder): Boolean =
      order.compare(min, max) != 0 || !values.exists(order.compare(_, min) == 0)
  }

  /**
   * What begins with the letters of `prefix`. Only for an order of letters, see
   * [[CollationOrder.letters]]: elsewhere such strings do not stand together.
   */
  final case class StartingWith(prefix: UTF8String) extends BoundsTest {

    override def mayHold(min: UTF8String, max: UTF8String, order: CollationOrder): Boolean =
      (order.letters(prefix), order.letters(min)) match {
        case (Some(wanted), Some(smallest)) =>
          order.compare(max, prefix) >= 0 && beginning(smallest, wanted).binaryCompare(wanted) <= 0
        case _ => true
      }

    private def beginning(text: UTF8String, other: UTF8String): UTF8String =
      UTF8String.fromBytes(text.getBytes.take(other.numBytes))
  }
}
