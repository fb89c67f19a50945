// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.expressions

import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.CollationOrder
import org.deltacollations.delta.stats.BoundTruncation

/** One end of a range of strings. */
sealed trait MinOrMax extends Serializable {

  /** What SQL calls the function that finds it. */
  def function: String

  /** Whether a string that compares so to the extreme goes beyond it. */
  def isBeyond(comparison: Int): Boolean

  /** A string of at most about `prefix` characters that no value goes beyond, or null. */
  def bound(extreme: UTF8String, prefix: Int, order: CollationOrder): UTF8String
}

object MinOrMax {

  case object Smallest extends MinOrMax {

    override def function: String = "min"

    override def isBeyond(comparison: Int): Boolean = comparison < 0

    override def bound(extreme: UTF8String, prefix: Int, order: CollationOrder): UTF8String =
      BoundTruncation.lower(extreme, prefix, order).orNull
  }

  case object Largest extends MinOrMax {

    override def function: String = "max"

    override def isBeyond(comparison: Int): Boolean = comparison > 0

    override def bound(extreme: UTF8String, prefix: Int, order: CollationOrder): UTF8String =
      BoundTruncation.upper(extreme, prefix, order).orNull
  }
}
