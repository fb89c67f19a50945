// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import java.util.Arrays

import scala.math.signum

import org.apache.spark.unsafe.types.UTF8String

/**
 * Tests whether a comparator is a total order, on strings for which some ICU comparators are not.
 *
 * Not every ICU comparator is transitive. With one that is not, the minimum of a file depends on the
 * order of its rows, and skipping by it would lose rows. Neither the settings nor the name of a
 * collation tell, and a later ICU may fix it, so this check runs the comparator itself.
 */
object TotalOrderCheck {

  /** Whether `compare` is antisymmetric and transitive on the probe strings. */
  def isTotalOrder(compare: (UTF8String, UTF8String) => Int): Boolean =
    isTotalOrderAmong(Probes, compare)

  /** Whether the probe strings compare as their keys do. */
  def keysMatchComparator(
      compare: (UTF8String, UTF8String) => Int,
      keyOf: UTF8String => Array[Byte]
  ): Boolean = {
    val keys = Probes.map(keyOf)
    Probes.zip(keys).forall { case (left, leftKey) =>
      Probes.zip(keys).forall { case (right, rightKey) =>
        signum(compare(left, right)) == signum(Arrays.compareUnsigned(leftKey, rightKey))
      }
    }
  }

  /** Whether `coarser` never contradicts `finer` on the probe strings. It may treat more as equal. */
  def isCoarser(
      coarser: (UTF8String, UTF8String) => Int,
      finer: (UTF8String, UTF8String) => Int
  ): Boolean =
    Probes.forall(left =>
      Probes.forall { right =>
        val sign = signum(coarser(left, right))
        sign == 0 || sign == signum(finer(left, right))
      }
    )

  /**
   * Compares every pair with the ranks of its strings, where the rank is the number of strings that
   * sort below. Both agree if and only if `compare` is antisymmetric and transitive, so there is no
   * need to test all triples.
   */
  private[collation] def isTotalOrderAmong[A](strings: Seq[A], compare: (A, A) => Int): Boolean = {
    val signs = strings.map(left => strings.map(right => signum(compare(left, right))))
    val ranks = signs.map(_.count(_ > 0))
    signs.zip(ranks).forall { case (row, leftRank) =>
      row.zip(ranks).forall { case (sign, rightRank) => sign == signum(leftRank - rightRank) }
    }
  }

  /** Letters and their expansions in every case, for which ICU's case level is not transitive. */
  private val Expansions =
    """a A á Á e E i I ı İ z ss sS Ss SS ß ẞ ae aE Ae AE æ Æ ǽ oe OE œ Œ ff FF ﬀ ij IJ ĳ Ĳ dž DŽ ǆ ǅ
      |Σ σ ς あ ア ｱ 1 ①""".stripMargin.split("\\s").toSeq

  /**
   * Combining marks after an ignorable character. ICU compares only the part after the common prefix.
   * It then misses that accents may be compared backwards, and that a mark is ignored together with
   * the variable character before it.
   */
  private val MarksAfterIgnorables = Seq("š", "Š", "Š\u00AD\u0301", "", "'", "'\u00AD\u0301")

  private val Probes = (Expansions ++ MarksAfterIgnorables).map(UTF8String.fromString)
}
