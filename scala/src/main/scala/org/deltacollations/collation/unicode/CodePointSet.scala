// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.unicode

import scala.util.Try

/** A set of code points, as sorted ranges that are neither adjacent nor overlapping. */
final case class CodePointSet private (ranges: Vector[(Int, Int)]) {

  def isEmpty: Boolean = ranges.isEmpty

  def codePoints: Iterator[Int] = ranges.iterator.flatMap { case (first, last) => first to last }

  def size: Int = ranges.map { case (first, last) => last - first + 1 }.sum

  def contains(codePoint: Int): Boolean =
    ranges.exists { case (first, last) => first <= codePoint && codePoint <= last }

  def containsAnyOf(string: String): Boolean = string.codePoints.anyMatch(contains(_))

  def intersects(other: CodePointSet): Boolean =
    ranges.exists { case (first, last) =>
      other.ranges.exists { case (from, to) => from <= last && first <= to }
    }

  def ++(other: CodePointSet): CodePointSet = CodePointSet.of(ranges ++ other.ranges)

  /** Formats the ranges as hexadecimal numbers, such as `41-5a c0 1f600-1f64f`. */
  override def toString: String = ranges.map {
    case (only, last) if only == last => only.toHexString
    case (first, last) => s"${first.toHexString}-${last.toHexString}"
  }.mkString(" ")
}

object CodePointSet {

  val Empty: CodePointSet = new CodePointSet(Vector.empty)

  def of(ranges: Iterable[(Int, Int)]): CodePointSet = new CodePointSet(
    ranges.toVector.filter { case (first, last) => first <= last }.sorted
      .foldLeft(Vector.empty[(Int, Int)]) {
        case (merged :+ ((from, to)), (first, last)) if first <= to + 1 =>
          merged :+ (from -> to.max(last))
        case (merged, range) => merged :+ range
      }
  )

  /** Parses the output of `toString`. Empty for all other input, which a log may contain. */
  def parse(formatted: String): Option[CodePointSet] = {
    val ranges = formatted.split(' ').toSeq.filter(_.nonEmpty).map {
      case Range(first, last) =>
        for {
          from <- number(first)
          to <- Option(last).fold(Option(from))(number) if from <= to
        } yield from -> to
      case _ => None
    }
    Option.when(ranges.forall(_.isDefined))(of(ranges.flatten))
  }

  private val Range = "([0-9a-f]{1,6})(?:-([0-9a-f]{1,6}))?".r

  private def number(hexadecimal: String): Option[Int] =
    Try(Integer.parseInt(hexadecimal, 16)).toOption.filter(_ <= Character.MAX_CODE_POINT)
}
