// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats

import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.CollationOrder

/**
 * Shortened bounds that are proven: each is compared with the value it stands for, by the order it
 * will be used in, before it is given out.
 *
 * Cutting a prefix is enough for byte order but not for a collation. A vowel of Thai sorts after the
 * consonant that follows it, marks swap places, a contraction is cut in two: then the prefix sorts
 * above its own string. And no character is the highest everywhere. A file without a bound is read,
 * so `None` is always safe.
 *
 * What is proven for the smallest value holds for the others only if the order is total.
 */
object BoundTruncation {

  /** No bound is longer, unless a table asks for longer prefixes: every reader of the log pays. */
  val MaxBytes: Long = 4096

  /** A string of about `prefix` characters, at or below `value`. */
  def truncateMin(value: UTF8String, prefix: Int, order: CollationOrder): Option[UTF8String] =
    shortest(value, prefix)(Seq(_))(order.compare(_, value) <= 0)

  /** A string of about `prefix` characters, at or above `value`. */
  def truncateMax(value: UTF8String, prefix: Int, order: CollationOrder): Option[UTF8String] =
    shortest(value, prefix)(cut => Tops.map(UTF8String.concat(cut, _)))(
      order.compare(_, value) >= 0
    )

  /** The highest character of ICU, and that of code point order. */
  private val Tops = Seq("\uFFFF", "\uDBFF\uDFFF").map(UTF8String.fromString)

  /**
   * The first proven candidate: what `ends` makes of ever longer prefixes, then the whole value. The
   * log is JSON, which holds no broken UTF-8, so all are made from a repaired `value`.
   */
  private def shortest(value: UTF8String, prefix: Int)(ends: UTF8String => Seq[UTF8String])(
      proven: UTF8String => Boolean
  ): Option[UTF8String] = {
    val whole = value.makeValid()
    val length = whole.numChars()
    val cuts = Iterator.iterate(prefix.toLong)(_ * 2).takeWhile(_ < length)
    val candidates =
      cuts.flatMap(cut => ends(whole.substring(0, cut.toInt))) ++ Iterator.single(whole)
    val limit = MaxBytes.max(BytesPerCharacter * (prefix + 1L))
    if (prefix <= 0) None else candidates.takeWhile(_.numBytes <= limit).find(proven)
  }

  private val BytesPerCharacter = 4
}
