// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import org.apache.spark.unsafe.types.UTF8String

/** Compares strings under a collation. Tasks carry it to executors, so its serialized form is small. */
trait CollationOrder extends Serializable {

  /** Returns a number with the same sign as Spark's own comparator. */
  def compare(left: UTF8String, right: UTF8String): Int

  /** Whether this is a total order. Only then are a minimum and a maximum bounds for all values. */
  def isTotalOrder: Boolean

  /**
   * Returns a key that orders `string` by its bytes, if the collation has keys such that the key of a
   * string starts with the key of every string that it starts with, as `startswith` compares them.
   */
  def prefixKey(string: UTF8String): Option[UTF8String]
}
