// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import scala.util.Random

import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.testutil.Strings
import org.scalatest.funsuite.AnyFunSuite

class AsciiRangeSuite extends AnyFunSuite {

  private def utf8(string: String): UTF8String = UTF8String.fromString(string)

  test("a range consists of the ASCII prefixes of its ends") {
    assert(AsciiRange(utf8("ab"), utf8("ab")) === AsciiRange(utf8("ab"), Some(utf8("ac"))))
    assert(AsciiRange(utf8("Zoë"), utf8("aë")) === AsciiRange(utf8("Zo"), Some(utf8("b"))))
    assert(AsciiRange(utf8("ä"), utf8("ö")) === AsciiRange(utf8(""), None))
    assert(AsciiRange(utf8(""), utf8("a\u007f\u007f")) === AsciiRange(utf8(""), Some(utf8("b"))))
  }

  test("a file with a key is not excluded by bounds in which Delta has replaced malformed UTF-8") {
    val random = new Random(Strings.Seed)
    val strings = new Strings(Strings.Seed)
    val excluded = (1 to 20000).flatMap { _ =>
      val file = Seq.fill(1 + random.nextInt(4))(near(strings, random))
        .sortWith(_.binaryCompare(_) < 0)
      val keys =
        (file(random.nextInt(file.size)) +:
          Seq.fill(random.nextInt(3))(near(strings, random))).sortWith(_.binaryCompare(_) < 0)
      val Seq(min, max) = Seq(file.head, file.last).map(bound => utf8(bound.toString)): @unchecked
      val range = AsciiRange(keys.head, keys.last)
      val isExcluded =
        max.binaryCompare(range.from) < 0 || range.until.exists(min.binaryCompare(_) >= 0)
      Option.when(isExcluded)(s"$file does not match $keys")
    }
    assert(excluded === Nil)
  }

  test("bounds with replaced malformed UTF-8 may exclude other keys") {
    val malformed = UTF8String.fromBytes(Array[Byte]('a', -1))
    assert(utf8(malformed.toString).binaryCompare(malformed) < 0)
  }

  /** Returns strings of which many have a common prefix. */
  private def near(strings: Strings, random: Random): UTF8String =
    UTF8String.concat(utf8(Seq("", "a", "ab", "ä")(random.nextInt(4))), strings.next())
}
