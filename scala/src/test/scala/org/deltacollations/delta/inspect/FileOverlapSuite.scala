// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.inspect

import scala.util.Random

import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.SparkOrder
import org.deltacollations.protocol.FileRange
import org.deltacollations.testutil.Strings
import org.scalactic.Tolerance
import org.scalatest.funsuite.AnyFunSuite

class FileOverlapSuite extends AnyFunSuite with Tolerance {

  private val collations = Seq("UNICODE_CI", "UTF8_LCASE", "UNICODE_CI_AI", "UTF8_BINARY_RTRIM")

  private val words =
    Seq("a", "A", "á", "b", "B ", "b", "ä", "z", "Z", "zz", "ö", "O", "", "0", "9")

  private def range(min: String, max: String): FileRange =
    FileRange(hasValues = true, Some(FileRange.Bounds(min, max)))

  private val withoutBounds = FileRange(hasValues = true, None)
  private val withoutValues = FileRange(hasValues = false, None)

  private def overlap(files: FileRange*): FileOverlap =
    FileOverlap.of(files, files.size, SparkOrder("UNICODE_CI")).get

  test("a lookup reads every file if all files have the same range") {
    val overlapping = overlap(Seq.fill(30)(range("a", "z")): _*)

    assert(overlapping === FileOverlap(30, 1.0, 1.0))
    // Files with random values have almost the same range.
    val almost = (1 to 30).map(n => range(s"a$n", s"z$n"))
    assert(overlap(almost: _*).share === 1.0)
  }

  test("a lookup reads one file if no ranges overlap") {
    val apart = overlap((10 until 30).map(n => range(s"x$n", s"x$n z")): _*)

    assert(apart.share === 1.0 / 20 +- 1e-9)
    assert(apart.avoidableShare === 1.0 / 20 +- 1e-9)
    // The value between two bounds of a file is not a bound of its neighbors.
    val touching = overlap((10 until 30).map(n => range(s"x$n", s"x${n + 1}")): _*)
    assert(touching.share === 1.0 / 20 +- 1e-9)
  }

  test("files with one value are not an avoidable overlap") {
    val sorted = Seq.fill(9)(range("N", "n")) ++ Seq(range("n", "Y")) ++
      Seq.fill(10)(range("y", "Y"))

    val found = overlap(sorted: _*)

    assert(found.share === (9 * 10 + 1 + 10 * 11) / 20.0 / 20 +- 1e-9)
    assert(found.avoidableShare === 1 / 20.0 / 20 +- 1e-9)
    assert(overlap(Seq.fill(20)(range("N", "Y")): _*).avoidableShare === 1.0)
  }

  test("files without bounds are read by every lookup, and files without values by none") {
    val found = overlap(range("a", "b"), range("c", "d"), withoutBounds, withoutValues)

    assert(found.share === 0.5 +- 1e-9)
    assert(FileOverlap.of(Seq(withoutBounds, withoutValues), 2, SparkOrder("UNICODE_CI")) === None)
  }

  test("an average weights partitions by their files") {
    val found = FileOverlap.average(Seq(FileOverlap(10, 1.0, 0.5), FileOverlap(30, 0.2, 0.1)))

    assert(found.get.files === 20)
    assert(found.get.share === (10 * 1.0 + 30 * 0.2) / 40 +- 1e-9)
    assert(found.get.avoidableShare === (10 * 0.5 + 30 * 0.1) / 40 +- 1e-9)
    assert(FileOverlap.average(Nil) === None)
  }

  for (collation <- collations)
    test(s"random files have the overlap that comparing each pair finds, under $collation") {
      val random = new Random(Strings.Seed)
      (1 to 200).foreach { _ =>
        val files = Seq.fill(1 + random.nextInt(12))(randomFile(random, collation))
        val found = FileOverlap.of(files, files.size, SparkOrder(collation))
        val expected = compareAllPairs(files, collation)

        assert(found.map(_.share).toSeq.map(rounded) === expected.toSeq.map(rounded), files)
      }
    }

  test("a sample estimates the overlap of all files") {
    val random = new Random(7)
    val files = Seq.fill(4000) {
      val start = random.nextInt(800)
      range(f"x$start%04d", f"x${start + 200}%04d")
    }
    val order = SparkOrder("UNICODE_CI")
    val exact = FileOverlap.of(files, files.size, order).get.share

    val estimated = FileOverlap.of(random.shuffle(files).take(1000), files.size, order).get.share

    assert(exact > 0.15 && exact < 0.35)
    assert(estimated === exact +- 0.03)
    // A file of its own does not count as a share of the sample.
    val apart = (10000 until 11000).map(n => range(s"x$n", s"x$n z"))
    assert(FileOverlap.of(apart, 1000000, order).get.share === 1e-6 +- 1e-9)
  }

  private def rounded(share: Double): Double = math.round(share * 1e9) / 1e9

  private def randomFile(random: Random, collation: String): FileRange = random.nextInt(10) match {
    case 0 => withoutBounds
    case 1 => withoutValues
    case _ =>
      def word = words(random.nextInt(words.size)) + words(random.nextInt(words.size))
      val (one, other) = (word, word)
      if (compare(collation)(one, other) < 0) range(one, other) else range(other, one)
  }

  private def compare(collation: String)(left: String, right: String): Int =
    SparkOrder(collation).compare(UTF8String.fromString(left), UTF8String.fromString(right))

  /** Follows the definition, with the bounds themselves instead of their positions. */
  private def compareAllPairs(files: Seq[FileRange], collation: String): Option[Double] = {
    def isLess(left: String, right: String) = compare(collation)(left, right) < 0
    val bounds = files.flatMap(_.bounds)
    val alwaysRead = files.count(file => file.hasValues && file.bounds.isEmpty)
    val shares = bounds.map { file =>
      val inside = bounds.flatMap(each => Seq(each.min, each.max))
        .filterNot(end => isLess(end, file.min) || isLess(file.max, end))
        .sortWith(isLess).foldLeft(Seq.empty[String]) { (different, end) =>
          if (different.lastOption.exists(!isLess(_, end))) different else different :+ end
        }
      def filesWith(before: String, after: String) =
        bounds.count(each => !isLess(before, each.min) && !isLess(each.max, after))
      val readBy =
        if (inside.size == 1) filesWith(file.min, file.min)
        else inside.zip(inside.tail).map { case (before, after) => filesWith(before, after) }.max
      (readBy + alwaysRead).toDouble / files.size
    }
    Option.when(shares.nonEmpty)(shares.sum / shares.size)
  }
}
