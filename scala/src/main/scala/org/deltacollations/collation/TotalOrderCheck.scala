// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import java.util.Arrays

import scala.math.signum

import org.apache.spark.unsafe.types.UTF8String

/**
 * The laws of a total order, tried on strings that are known to break them.
 *
 * Not every comparator of ICU is transitive. Where one is not, the smallest value of a file depends
 * on the order of its rows, and skipping by it would lose rows. Settings and names do not tell, and
 * a later ICU may repair it; so the comparator itself is asked.
 */
object TotalOrderCheck {

  /** Whether no law is broken among the probes. */
  def hold(compare: (UTF8String, UTF8String) => Int): Boolean = holdAmong(Probes, compare)

  /** Whether the probes compare as their keys do. */
  def agree(compare: (UTF8String, UTF8String) => Int, keyOf: UTF8String => Array[Byte]): Boolean = {
    val keys = Probes.map(keyOf)
    Probes.zip(keys).forall { case (left, leftKey) =>
      Probes.zip(keys).forall { case (right, rightKey) =>
        signum(compare(left, right)) == signum(Arrays.compareUnsigned(leftKey, rightKey))
      }
    }
  }

  /**
   * Antisymmetry and transitivity both hold exactly if comparing two strings is the same as comparing
   * how many of the strings sort below each. That needs no look at all triples.
   */
  private[collation] def holdAmong[A](strings: Seq[A], compare: (A, A) => Int): Boolean = {
    val signs = strings.map(left => strings.map(right => signum(compare(left, right))))
    val ranks = signs.map(_.count(_ > 0))
    signs.zip(ranks).forall { case (row, rank) =>
      row.zip(ranks).forall { case (sign, other) => sign == signum(rank - other) }
    }
  }

  /** A letter beside the letters it expands to, in every case: there the case level is no order. */
  private val Expansions =
    """a A á Á e E i I ı İ z ss sS Ss SS ß ẞ ae aE Ae AE æ Æ ǽ oe OE œ Œ ff FF ﬀ ij IJ ĳ Ĳ dž DŽ ǆ ǅ
      |Σ σ ς あ ア ｱ 1 ①""".stripMargin.split("\\s").toSeq

  /**
   * A mark behind an invisible character. ICU compares only what follows the common beginning, and
   * forgets that accents count from the end, or that a mark is ignored with the sign before it.
   */
  private val LateMarks = Seq("š", "Š", "Š\u00AD\u0301", "", "'", "'\u00AD\u0301")

  private val Probes = (Expansions ++ LateMarks).map(UTF8String.fromString)
}
