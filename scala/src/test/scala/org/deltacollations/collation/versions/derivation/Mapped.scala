// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions.derivation

import java.util.Arrays

/**
 * Something that has collation elements as a whole, a character or a contraction, in two versions.
 *
 * @param isAlikeInKind
 *   whether there are as many elements in both, with the same case, and weights on the same levels
 */
final private[versions] case class Mapped(
    text: String,
    older: Array[Long],
    newer: Array[Long],
    isAlikeInKind: Boolean
) {

  def point: Int = text.codePointAt(0)

  def isEqual: Boolean = Arrays.equals(older, newer)

  /** A character that nobody has given a place: its weight is its number, far above all others. */
  def isNumbered: Boolean = isEqual && older.length == 1 &&
    Mapped.lead(older(0)) == Mapped.Unassigned
}

private[versions] object Mapped {

  def apply(text: String, older: Icu.Elements, newer: Icu.Elements): Mapped = {
    val (left, right) = (older.of(text), newer.of(text))
    val isAlike = left.length == right.length &&
      left.indices.forall { place =>
        kind(left(place), older) == kind(right(place), newer) &&
        (lead(left(place)) != Unassigned || left(place) == right(place))
      }
    new Mapped(text, left, right, isAlike)
  }

  /** The case, which levels have no weight, and what sets a primary weight apart from all others. */
  private def kind(element: Long, elements: Icu.Elements): Long = {
    var bits = element & AlikeElements.MARKS
    bits = bits << 1 | flag(primary(element) == 0)
    bits = bits << 1 | flag(secondary(element) == 0)
    bits = bits << 1 | flag(tertiary(element) == 0)
    bits = bits << 1 | flag(elements.isVariable(element))
    bits = bits << 1 | flag(primary(element) == Separator)
    bits << 8 | (lead(element) - Unassigned).max(-1) & 0xff
  }

  private def flag(holds: Boolean): Long = if (holds) 1 else 0

  private def lead(element: Long): Long = element >>> 56

  /** The first byte of all primary weights that are made from a number; above it are special ones. */
  private val Unassigned = 0xfeL

  /** What U+FFFE has: it cuts a text into parts that are compared one by one. */
  private val Separator = 0x02000000L

  def primary(element: Long): Long = element >>> 32

  def secondary(element: Long): Long = element >>> 16 & 0xffff

  def tertiary(element: Long): Long = element & 0x3f3f

  def lower(element: Long): Long = element & 0xffffffffL
}
