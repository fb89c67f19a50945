// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import org.apache.spark.unsafe.types.UTF8String

/** How a collation orders strings. Executors get it with the task, so it is small when serialised. */
trait CollationOrder extends Serializable {

  /** Same sign as Spark's own comparator, always. */
  def compare(left: UTF8String, right: UTF8String): Int

  /** Whether the laws of a total order hold; only then smallest and largest mean something. */
  def isTotal: Boolean

  /**
   * The text whose bytes decide, where this is an order of letters: one that compares the bytes of a
   * text that is made from each string one character at a time. So what follows a prefix changes
   * nothing of the text of the prefix.
   */
  def letters(text: UTF8String): Option[UTF8String]
}
