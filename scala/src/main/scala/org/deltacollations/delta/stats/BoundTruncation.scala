// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats

import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.CollationOrder

/**
 * Truncates the minimum and maximum of a file to bounds. Compares each bound with the value that it
 * replaces, in the order that readers will use, before it returns the bound.
 *
 * A prefix of a string is a lower bound in binary order, but not in a collation: a Thai vowel sorts
 * after the consonant that follows it, combining marks are reordered, and a prefix may end within a
 * contraction. Then the prefix sorts after its own string. Nor is there a character that sorts last in
 * every collation. If no bound is found, the result is `None`, which is always safe: a file without a
 * bound is read.
 *
 * The comparison with the minimum or maximum proves the bound for the other values of the file only if
 * the order is a total order.
 */
object BoundTruncation {

  /**
   * The maximum size of a bound, unless the table requests longer prefixes. Every reader of the log has
   * to read the bounds.
   */
  val MaxBytes: Long = 4096

  /** Returns a string of about `prefix` characters that is less than or equal to `value`. */
  def truncateMin(value: UTF8String, prefix: Int, order: CollationOrder): Option[UTF8String] =
    shortest(value, prefix)(Seq(_))(order.compare(_, value) <= 0)

  /** Returns a string of about `prefix` characters that is greater than or equal to `value`. */
  def truncateMax(value: UTF8String, prefix: Int, order: CollationOrder): Option[UTF8String] =
    shortest(value, prefix)(truncated => HighestCharacters.map(UTF8String.concat(truncated, _)))(
      order.compare(_, value) >= 0
    )

  /** The highest character of ICU's root collation, and the highest code point. */
  private val HighestCharacters = Seq("\uFFFF", "\uDBFF\uDFFF").map(UTF8String.fromString)

  /**
   * Returns the first candidate that is a bound. Candidates are made from prefixes of increasing length,
   * and the last one is the whole value. All are made from valid UTF-8, because the log is JSON.
   */
  private def shortest(value: UTF8String, prefix: Int)(
      candidatesFor: UTF8String => Seq[UTF8String]
  )(isBound: UTF8String => Boolean): Option[UTF8String] = {
    val valid = value.makeValid()
    val numChars = valid.numChars()
    val lengths = Iterator.iterate(prefix.toLong)(_ * 2).takeWhile(_ < numChars)
    val candidates =
      lengths.flatMap(length => candidatesFor(valid.substring(0, length.toInt))) ++
        Iterator.single(valid)
    val maxBytes = MaxBytes.max(MaxBytesPerCharacter * (prefix + 1L))
    if (prefix <= 0) None else candidates.takeWhile(_.numBytes <= maxBytes).find(isBound)
  }

  private val MaxBytesPerCharacter = 4
}
