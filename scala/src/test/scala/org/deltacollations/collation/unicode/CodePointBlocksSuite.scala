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
    values.foldLeft(null: Array[Byte])(CodePointBlockBitmap.including(_, _))

  private def text(values: String*): String =
    CodePointBlocks.text(bitmap(values.map(UTF8String.fromString)))

  private def points(value: UTF8String): Seq[Int] =
    value.makeValid.toString.codePoints.toArray.toSeq

  private def blocks(points: Iterable[Int]): Seq[Int] = points.map(_ >> 4).toSeq.distinct.sorted

  private def ofBlocks(blocks: Iterable[Int]): String =
    text(blocks.map(block => Character.toString(block << 4)).toSeq: _*)

  test("a text names blocks of sixteen characters, and runs of them") {
    assert(text("Bob") === "4 6")
    assert(text("Bob", "zoë 🙂", "") === "2 4 6-7 e 1f64")
    assert(text("\u0000\u007F") === "0 7")
    assert(text(Character.toString(Character.MAX_CODE_POINT)) === "10fff")
  }

  test("a text of nothing is empty, and so is what it stands for") {
    assert(text() === "")
    assert(text("") === "")
    assert(CodePointBlocks.parse("") === Some(CodePointSet.None))
  }

  test("a text stands for all the characters of its blocks") {
    assert(CodePointBlocks.parse("2-3 10fff") === CodePointSet.parse("20-3f 10fff0-10ffff"))
    assert(CodePointBlocks.parse("0-10fff").map(_.size) === Some(0x110000))
  }

  test("what is no such text stands for nothing known") {
    val damaged = Seq(
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
    assert(damaged.filter(CodePointBlocks.parse(_).isDefined) === Nil)
  }

  test("there are few ranges, and those next to each other are joined first") {
    val far = (0 until CodePointBlocks.MostRanges).map(_ * 100)
    val near = far.map(_ + 2)
    assert(CodePointSet.parse(ofBlocks(far)).map(_.ranges) === Some(far.map(at => at -> at)))
    assert(
      CodePointSet.parse(ofBlocks(far ++ near)).map(_.ranges) ===
        Some(far.map(at => at -> (at + 2)))
    )
    val all = (0 to 0x10fff).filterNot(block => block >= 0xd80 && block < 0xe00)
    assert(CodePointSet.parse(ofBlocks(all.filter(_ % 2 == 0))).exists(_.ranges.size <= 32))
    assert(ofBlocks(all) === "0-d7f e00-10fff")
  }

  test("the longest text can be read") {
    val longest = (0 until 32).map(n => 0x10000 + n * 4).map(at => f"$at%x-${at + 1}%x")
    val code = CodePointSet.parse(longest.mkString(" ")).get
    assert(CodePointBlocks.parse(code.toString).map(_.size) === Some(32 * 32))
  }

  for (seed <- 1L to 3L) {

    test(s"no character of any string is missing, and joining adds to them alone, seed $seed") {
      val strings = new Strings(seed)
      for (_ <- 1 to rounds / 20) {
        val values = Seq.fill(strings.between(0, 40))(strings.long())
        val held = values.flatMap(points).toSet
        val found = CodePointBlocks.parse(CodePointBlocks.text(bitmap(values))).get
        assert(held.filterNot(found.contains) === Set.empty)
        if (found.ranges.size < CodePointBlocks.MostRanges)
          assert(found.size === blocks(held).size * 16)
      }
    }

    test(s"broken bytes count as what Spark makes of them, seed $seed") {
      val chance = new Random(seed)
      val odd = Seq(0x41, 0x80, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe2, 0xed, 0xef, 0xf0,
        0xf4, 0xf5, 0xff, 0x82, 0x9f, 0x90, 0x8f)
      for (_ <- 1 to rounds) {
        val bytes = Array.fill(chance.nextInt(12)) {
          (if (chance.nextBoolean()) chance.nextInt(256) else odd(chance.nextInt(odd.size))).toByte
        }
        val value = UTF8String.fromBytes(bytes)
        val found = BitSet.valueOf(bitmap(Seq(value))).stream.toArray.toSeq
        assert(found === blocks(points(value)), bytes.map(byte => f"$byte%02x").mkString(" "))
      }
    }

    test(s"parts that are merged hold what the whole holds, seed $seed") {
      val strings = new Strings(seed)
      for (_ <- 1 to rounds / 20) {
        val values = Seq.fill(strings.between(0, 6))(strings.next())
        val (one, other) = values.splitAt(strings.between(0, values.size))
        val (left, right) = (bitmap(one), bitmap(other))
        val before = CodePointBlocks.text(right)
        val merged = CodePointBlockBitmap.merged(left, right)
        assert(CodePointBlocks.text(merged) === CodePointBlocks.text(bitmap(values)))
        if (merged != null)
          CodePointBlockBitmap.including(merged, UTF8String.fromString("\u0000\uFFFD"))
        assert(CodePointBlocks.text(right) === before)
      }
    }
  }

  test("memory beyond the value is not looked at") {
    val memory = "xxxxaéxxxxxxxxxx".getBytes("UTF-8")
    val value = UTF8String.fromBytes(memory, 4, 2)
    assert(CodePointBlocks.text(bitmap(Seq(value))) === "6 fff")
  }
}
