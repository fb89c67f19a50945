// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.unicode

import java.util.BitSet

/**
 * Formats and parses the code points of a column as ranges of blocks of 16, such as `2-7 a-f 1f60`,
 * where `2` is U+0020 to U+002F. The ranges may contain more code points than the column, never
 * fewer.
 */
object CodePointBlocks {

  /** Bounds the length, since scattered blocks, such as those of Han, would need very many ranges. */
  val MaxRanges: Int = 32

  private val LastBlock = Character.MAX_CODE_POINT >> CodePointBlockBitmap.BLOCK_BITS

  /** Each range has at most two numbers of five digits, a hyphen and a space. */
  private val MaxFormattedLength = MaxRanges * 12

  /** @param bitmap a [[CodePointBlockBitmap]], or null if there were no values */
  def format(bitmap: Array[Byte]): String =
    if (bitmap == null) ""
    else CodePointSet.of(withinMaxRanges(ranges(BitSet.valueOf(bitmap)))).toString

  /** Parses the exact output of [[format]]. Empty for all other input, which a log may contain. */
  def parse(formatted: String): Option[CodePointSet] =
    Option(formatted).filter(_.length <= MaxFormattedLength)
      .flatMap(formatted => CodePointSet.parse(formatted).filter(_.toString == formatted))
      .filter(_.ranges.forall { case (_, last) => last <= LastBlock })
      .map { blocks =>
        CodePointSet.of(blocks.ranges.map { case (first, last) =>
          (first << CodePointBlockBitmap.BLOCK_BITS) ->
            (((last + 1) << CodePointBlockBitmap.BLOCK_BITS) - 1)
        })
      }

  private def ranges(blocks: BitSet): Vector[(Int, Int)] =
    Vector.unfold(blocks.nextSetBit(0)) { first =>
      Option.when(first >= 0) {
        val end = blocks.nextClearBit(first)
        (first -> (end - 1), blocks.nextSetBit(end))
      }
    }

  /** Closes the smallest gaps until there are at most [[MaxRanges]] ranges. */
  private def withinMaxRanges(ranges: Vector[(Int, Int)]): Vector[(Int, Int)] =
    if (ranges.size <= MaxRanges) ranges
    else {
      val gaps = ranges.zip(ranges.tail).map { case ((_, before), (after, _)) => before -> after }
      val widest = gaps.sortBy { case (before, after) => before - after }
        .take(MaxRanges - 1).sorted
      (ranges.head._1 +: widest.map(_._2)).zip(widest.map(_._1) :+ ranges.last._2)
    }
}
