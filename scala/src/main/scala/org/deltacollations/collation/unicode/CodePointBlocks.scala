// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.unicode

import java.util.BitSet

/**
 * A few words for all the characters of a column: ranges of blocks of 16, `2-7 a-f 1f60`, where `2`
 * is U+0020 to U+002F. They may stand for more characters than there are, and never for less.
 */
object CodePointBlocks {

  /** Scattered blocks, as of Han, would fill pages; so there are at most so many ranges. */
  val MostRanges: Int = 32

  private val Last = Character.MAX_CODE_POINT >> CodePointBlockBitmap.BLOCK_BITS

  /** Two numbers of five digits and two characters between them, for each range. */
  private val LongestText = MostRanges * 12

  /** @param bitmap of [[CodePointBlockBitmap]], or null if there was no value; the text is then empty */
  def text(bitmap: Array[Byte]): String =
    if (bitmap == null) "" else CodePointSet.of(joined(ranges(BitSet.valueOf(bitmap)))).toString

  /** What `text` stands for; nothing if it is no such text, since a log may say anything. */
  def parse(text: String): Option[CodePointSet] =
    Option(text).filter(_.length <= LongestText)
      .flatMap(text => CodePointSet.parse(text).filter(_.toString == text))
      .filter(_.ranges.forall { case (_, last) => last <= Last })
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

  /** Fewer ranges, by leaving out the smallest gaps between them. */
  private def joined(ranges: Vector[(Int, Int)]): Vector[(Int, Int)] =
    if (ranges.size <= MostRanges) ranges
    else {
      val gaps = ranges.zip(ranges.tail).map { case ((_, before), (after, _)) => before -> after }
      val widest = gaps.sortBy { case (before, after) => before - after }
        .take(MostRanges - 1).sorted
      (ranges.head._1 +: widest.map(_._2)).zip(widest.map(_._1) :+ ranges.last._2)
    }
}
