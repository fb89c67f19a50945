// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import scala.annotation.tailrec

import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.CollationOrder

/**
 * The part of a predicate that the minimum and the maximum of a file can decide. It errs on one side
 * only: `mayMatch` is false only if no string from `min` to `max` can make the predicate true.
 */
sealed trait BoundsPredicate {

  def mayMatch(min: UTF8String, max: UTF8String, order: CollationOrder): Boolean
}

object BoundsPredicate {

  /** One end of a range. */
  final case class Limit(value: UTF8String, inclusive: Boolean)

  final case class Above(limit: Limit) extends BoundsPredicate {

    override def mayMatch(min: UTF8String, max: UTF8String, order: CollationOrder): Boolean = {
      val side = order.compare(max, limit.value)
      side > 0 || (side == 0 && limit.inclusive)
    }
  }

  final case class Below(limit: Limit) extends BoundsPredicate {

    override def mayMatch(min: UTF8String, max: UTF8String, order: CollationOrder): Boolean = {
      val side = order.compare(min, limit.value)
      side < 0 || (side == 0 && limit.inclusive)
    }
  }

  /** Matches one of the values. They are sorted, so the first that is not below `min` decides. */
  final case class AnyOf private (sorted: IndexedSeq[UTF8String]) extends BoundsPredicate {

    override def mayMatch(min: UTF8String, max: UTF8String, order: CollationOrder): Boolean = {
      @tailrec
      def firstNotBelowMin(low: Int, high: Int): Int =
        if (low == high) low
        else {
          val middle = (low + high) >>> 1
          if (order.compare(sorted(middle), min) < 0) firstNotBelowMin(middle + 1, high)
          else firstNotBelowMin(low, middle)
        }
      val first = firstNotBelowMin(0, sorted.length)
      first < sorted.length && order.compare(sorted(first), max) <= 0
    }
  }

  object AnyOf {

    def apply(values: Seq[UTF8String], order: CollationOrder): AnyOf =
      new AnyOf(values.sorted(ordering(order)).toIndexedSeq)

    private def ordering(order: CollationOrder): Ordering[UTF8String] = order.compare(_, _)
  }

  /** Matches none of the values. A file is skipped only if all its strings equal one of them. */
  final case class NoneOf(values: Seq[UTF8String]) extends BoundsPredicate {

    override def mayMatch(min: UTF8String, max: UTF8String, order: CollationOrder): Boolean =
      order.compare(min, max) != 0 || !values.exists(order.compare(_, min) == 0)
  }

  /**
   * Matches strings that start with `prefix`. It requires a collation with `CollationOrder.prefixKey`:
   * under any other, such strings are not adjacent.
   *
   * @param key
   *   the key of `prefix`
   */
  final case class StartingWith(prefix: UTF8String, key: UTF8String) extends BoundsPredicate {

    override def mayMatch(min: UTF8String, max: UTF8String, order: CollationOrder): Boolean =
      order.compare(max, prefix) >= 0 &&
        order.prefixKey(min).forall(minKey =>
          truncated(minKey, key.numBytes).binaryCompare(key) <= 0
        )

    private def truncated(key: UTF8String, bytes: Int): UTF8String =
      UTF8String.fromBytes(key.getBytes.take(bytes))
  }
}
