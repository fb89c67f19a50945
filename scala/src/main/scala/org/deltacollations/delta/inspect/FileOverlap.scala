// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.inspect

import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.CollationOrder
import org.deltacollations.protocol.FileRange

/**
 * How much the ranges of a column overlap in different files.
 *
 * @param files
 *   the number of files that lookups choose from
 * @param share
 *   the share of these files that a lookup reads at most, on average over the lookups
 * @param avoidableShare
 *   the same, but lookups of a value that fills a whole file count as 0, because no layout can separate
 *   files with the same value
 */
final case class FileOverlap(files: Double, share: Double, avoidableShare: Double)

/**
 * Computes how many files a lookup reads at most, from their bounds alone.
 *
 * There is one lookup for each file with bounds, of the value within the range of the file that most files
 * have in their ranges. It is a value between two bounds, unless the file has a single value. A lookup
 * reads the files whose ranges contain the value, and those without bounds.
 */
object FileOverlap {

  /**
   * @param sample
   *   the ranges of some files, chosen at random
   * @param files
   *   the number of all files
   * @return
   *   none if no file in the sample has bounds
   */
  def of(sample: Seq[FileRange], files: Long, order: CollationOrder): Option[FileOverlap] = {
    val bounds = sample.flatMap(_.bounds)
    val alwaysRead = sample.count(range => range.hasValues && range.bounds.isEmpty)
    val ranges = ranked(bounds, order)
    val readBy = filesAt(ranges)

    /** A file of the sample stands for `files / sample.size` files, but the lookup's own only for itself. */
    def share(range: Ranks): Double = {
      val others = (range.values.map(readBy).max - 1 + alwaysRead).toDouble
      val weight = if (sample.size > 1) (files - 1).toDouble / (sample.size - 1) else 0.0
      (1 + others * weight) / files
    }
    Option.when(ranges.nonEmpty) {
      FileOverlap(
        files.toDouble,
        ranges.map(share).sum / ranges.size,
        ranges.filterNot(_.isOneValue).map(share).sum / ranges.size
      )
    }
  }

  /** Returns the average over the partitions of a table, each weighted by its number of files. */
  def average(partitions: Seq[FileOverlap]): Option[FileOverlap] = {
    val files = partitions.map(_.files).sum
    def weighted(value: FileOverlap => Double): Double =
      partitions.map(each => value(each) * each.files).sum / files
    Option.when(partitions.nonEmpty)(
      FileOverlap(files / partitions.size, weighted(_.share), weighted(_.avoidableShare))
    )
  }

  /**
   * The range of a file in a list of all different bounds.
   *
   * @param min
   *   twice the position of the minimum. Odd numbers are between two bounds
   */
  final private case class Ranks(min: Int, max: Int) {

    def isOneValue: Boolean = min == max

    def values: Range =
      if (isOneValue) min to max else min + 1 until max by 2
  }

  private def ranked(bounds: Seq[FileRange.Bounds], order: CollationOrder): Seq[Ranks] = {
    val ends = bounds.flatMap(each => Seq(each.min, each.max)).map(UTF8String.fromString).distinct
      .sorted(Ordering.comparatorToOrdering[UTF8String](order.compare(_, _)))
    val starts = ends.zip(None +: ends.map(Some(_))).map { case (end, previous) =>
      if (previous.exists(order.compare(_, end) == 0)) 0 else 2
    }
    val positions = ends.zip(starts.scanLeft(-2)(_ + _).drop(1)).toMap
    bounds.map { each =>
      val (min, max) =
        (positions(UTF8String.fromString(each.min)), positions(UTF8String.fromString(each.max)))
      // Corrupt bounds may be in the wrong order.
      Ranks(min.min(max), min.max(max))
    }
  }

  /** Returns the number of ranges that contain each position. */
  private def filesAt(ranges: Seq[Ranks]): IndexedSeq[Int] = {
    val changes = new Array[Int](ranges.map(_.max + 2).maxOption.getOrElse(0))
    ranges.foreach { range =>
      changes(range.min) += 1
      changes(range.max + 1) -= 1
    }
    changes.scanLeft(0)(_ + _).drop(1).toIndexedSeq
  }
}
