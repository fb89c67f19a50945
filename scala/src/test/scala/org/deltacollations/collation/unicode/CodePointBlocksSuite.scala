// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.unicode

import java.util.BitSet

import scala.util.Random

import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.testutil.Strings
import org.scalatest.funsuite.AnyFunSuite

class CodePointBlocksSuite extends AnyFunSuite {

  private val rounds = 20000

  private def bitmap(values: Seq[UTF8String]): Array[Byte] =
    values.foldLeft(null: Array[Byte])(CodePointBlockBitmap.add(_, _))

  private def format(values: String*): String =
    CodePointBlocks.format(bitmap(values.map(UTF8String.fromString)))

  private def codePoints(value: UTF8String): Seq[Int] =
    value.makeValid.toString.codePoints.toArray.toSeq

  private def blocks(codePoints: Iterable[Int]): Seq[Int] =
    codePoints.map(_ >> 4).toSeq.distinct.sorted

  private def formatBlocks(blocks: Iterable[Int]): String =
    format(blocks.map(block => Character.toString(block << 4)).toSeq: _*)

  test("format writes blocks of 16 code points as ranges") {
    assert(format("Bob") === "4 6")
    assert(format("Bob", "zoë 🙂", "") === "2 4 6-7 e 1f64")
    assert(format("\u0000\u007F") === "0 7")
    assert(format(Character.toString(Character.MAX_CODE_POINT)) === "10fff")
  }

  test("format and parse support the empty set") {
    assert(format() === "")
    assert(format("") === "")
    assert(CodePointBlocks.parse("") === Some(CodePointSet.Empty))
  }

  test("parse returns all code points of the blocks") {
    assert(CodePointBlocks.parse("2-3 10fff") === CodePointSet.parse("20-3f 10fff0-10ffff"))
    assert(CodePointBlocks.parse("0-10fff").map(_.size) === Some(0x110000))
  }

  test("parse rejects everything that format does not write") {
    val invalid = Seq(
      null,
      " ",
      "4 ",
      " 4",
      "4  6",
      "4-",
      "-4",
      "4-4",
      "6 4",
      "4-6 5",
      "4-5 6",
      "g",
      "4,6",
      "A",
      "04",
      "10fff-11000",
      "11000",
      "1ffffff",
      "4-6-8",
      "\u0664",
      "4 6\u0000",
      "1 " * 200000
    )
    assert(invalid.filter(CodePointBlocks.parse(_).isDefined) === Nil)
  }

  test("format writes at most MaxRanges ranges and closes the smallest gaps first") {
    val far = (0 until CodePointBlocks.MaxRanges).map(_ * 100)
    val near = far.map(_ + 2)
    assert(CodePointSet.parse(formatBlocks(far)).map(_.ranges) === Some(far.map(at => at -> at)))
    assert(
      CodePointSet.parse(formatBlocks(far ++ near)).map(_.ranges) ===
        Some(far.map(at => at -> (at + 2)))
    )
    val all = (0 to 0x10fff).filterNot(block => block >= 0xd80 && block < 0xe00)
    assert(CodePointSet.parse(formatBlocks(all.filter(_ % 2 == 0))).exists(_.ranges.size <= 32))
    assert(formatBlocks(all) === "0-d7f e00-10fff")
  }

  test("parse accepts the longest output of format") {
    val longest = (0 until 32).map(n => 0x10000 + n * 4).map(at => f"$at%x-${at + 1}%x")
    val blocks = CodePointSet.parse(longest.mkString(" ")).get
    assert(CodePointBlocks.parse(blocks.toString).map(_.size) === Some(32 * 32))
  }

  for (seed <- 1L to 3L) {

    test(s"parse returns all code points that were formatted, seed $seed") {
      val strings = new Strings(seed)
      for (_ <- 1 to rounds / 20) {
        val values = Seq.fill(strings.between(0, 40))(strings.long())
        val expected = values.flatMap(codePoints).toSet
        val found = CodePointBlocks.parse(CodePointBlocks.format(bitmap(values))).get
        assert(expected.filterNot(found.contains) === Set.empty)
        if (found.ranges.size < CodePointBlocks.MaxRanges)
          assert(found.size === blocks(expected).size * 16)
      }
    }

    test(s"malformed UTF-8 counts as the code points that Spark replaces it by, seed $seed") {
      val random = new Random(seed)
      val boundaryBytes =
        Seq(0x41, 0x80, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe2, 0xed, 0xef,
          0xf0, 0xf4, 0xf5, 0xff, 0x82, 0x9f, 0x90, 0x8f)
      for (_ <- 1 to rounds) {
        val bytes = Array.fill(random.nextInt(12)) {
          if (random.nextBoolean()) random.nextInt(256).toByte
          else boundaryBytes(random.nextInt(boundaryBytes.size)).toByte
        }
        val value = UTF8String.fromBytes(bytes)
        val found = BitSet.valueOf(bitmap(Seq(value))).stream.toArray.toSeq
        assert(found === blocks(codePoints(value)), bytes.map(byte => f"$byte%02x").mkString(" "))
      }
    }

    test(s"merge of two parts equals the whole and does not modify the second, seed $seed") {
      val strings = new Strings(seed)
      for (_ <- 1 to rounds / 20) {
        val values = Seq.fill(strings.between(0, 6))(strings.next())
        val (one, other) = values.splitAt(strings.between(0, values.size))
        val (left, right) = (bitmap(one), bitmap(other))
        val before = CodePointBlocks.format(right)
        val merged = CodePointBlockBitmap.merge(left, right)
        assert(CodePointBlocks.format(merged) === CodePointBlocks.format(bitmap(values)))
        if (merged != null)
          CodePointBlockBitmap.add(merged, UTF8String.fromString("\u0000\uFFFD"))
        assert(CodePointBlocks.format(right) === before)
      }
    }
  }

  test("add does not read bytes after the value") {
    val memory = "xxxxaéxxxxxxxxxx".getBytes("UTF-8")
    val value = UTF8String.fromBytes(memory, 4, 2)
    assert(CodePointBlocks.format(bitmap(Seq(value))) === "6 fff")
  }
}
