// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions.derivation

import java.util.Arrays

/**
 * A character or contraction with its collation elements in two versions.
 *
 * @param isAlikeInKind
 *   whether both have the same number of elements, with the same case and weights on the same levels
 */
final private[versions] case class Mapped(
    text: String,
    older: Array[Long],
    newer: Array[Long],
    isAlikeInKind: Boolean
) {

  def codePoint: Int = text.codePointAt(0)

  def isEqual: Boolean = Arrays.equals(older, newer)

  /** Whether ICU derives the weight from the code point, as for unassigned characters. */
  def hasImplicitWeight: Boolean = isEqual && older.length == 1 &&
    Mapped.lead(older(0)) == Mapped.Unassigned
}

private[versions] object Mapped {

  def apply(text: String, older: Icu.Elements, newer: Icu.Elements): Mapped = {
    val (left, right) = (older.of(text), newer.of(text))
    val isAlike = left.length == right.length &&
      left.indices.forall { i =>
        kind(left(i), older) == kind(right(i), newer) &&
        (lead(left(i)) != Unassigned || left(i) == right(i))
      }
    new Mapped(text, left, right, isAlike)
  }

  /** Encodes the case, the levels without a weight, and the class of the primary weight. */
  private def kind(element: Long, elements: Icu.Elements): Long = {
    var bits = element & AlikeElements.MARKS
    bits = bits << 1 | flag(primary(element) == 0)
    bits = bits << 1 | flag(secondary(element) == 0)
    bits = bits << 1 | flag(tertiary(element) == 0)
    bits = bits << 1 | flag(elements.isVariable(element))
    bits = bits << 1 | flag(primary(element) == Separator)
    bits << 8 | (lead(element) - Unassigned).max(-1) & 0xff
  }

  private def flag(isSet: Boolean): Long = if (isSet) 1 else 0

  private def lead(element: Long): Long = element >>> 56

  /** The lead byte of all primary weights derived from code points. Higher bytes are special. */
  private val Unassigned = 0xfeL

  /** The primary weight of U+FFFE, which splits a text into parts that are compared one by one. */
  private val Separator = 0x02000000L

  def primary(element: Long): Long = element >>> 32

  def secondary(element: Long): Long = element >>> 16 & 0xffff

  def tertiary(element: Long): Long = element & 0x3f3f

  def lower(element: Long): Long = element & 0xffffffffL
}
