// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats

import org.apache.spark.sql.catalyst.util.CollationFactory
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.{CollationOrder, SparkOrder}
import org.deltacollations.testutil.Strings
import org.scalatest.funsuite.AnyFunSuite

class BoundTruncationSuite extends AnyFunSuite {

  private type Cut = (UTF8String, Int, CollationOrder) => Option[UTF8String]

  private val collations =
    """UTF8_LCASE UTF8_BINARY_RTRIM UTF8_LCASE_RTRIM UNICODE UNICODE_CI UNICODE_CI_AI UNICODE_CI_RTRIM
      |de de_CI_AI sv da hr hu cs ja zh tr es th_CI_AI lo""".stripMargin.split("\\s").toSeq

  for (collation <- collations)
    test(s"bounds of $collation hold for every value of a file") {
      assert(firstFault(collation, BoundTruncation.truncateMin, BoundTruncation.truncateMax) === None)
    }

  test("the check finds prefixes that are no lower bounds") {
    val prefix: Cut = (value, length, _) => Some(value.makeValid().substring(0, length))
    assert(collations.flatMap(firstFault(
      _,
      prefix,
      BoundTruncation.truncateMax
    )).exists(_.contains("below")))
  }

  for (top <- Seq("\u007F", "\uFFFF", Character.toString(0x10ffff)))
    test(f"the check finds that U+${top.codePointAt(0)}%04X is not above all that may follow") {
      val topped: Cut = (value, length, _) => {
        val whole = value.makeValid()
        val cut = whole.substring(0, length)
        Some(if (cut == whole) whole else UTF8String.concat(cut, utf8(top)))
      }
      assert(collations.flatMap(firstFault(
        _,
        BoundTruncation.truncateMin,
        topped
      )).exists(_.contains("above")))
    }

  test("a value that is not longer than the prefix is its own bound") {
    for (value <- Seq("", "a", "Straße", "a" * 32, "😀" * 32))
      assert(bounds("UNICODE_CI", value) === (Some(value), Some(value)))
  }

  test("a long value is cut, and gets the highest character of its order on top") {
    val long = "x" * 33
    assert(bounds("UNICODE_CI", long) === (Some("x" * 32), Some("x" * 32 + "\uFFFF")))
    assert(bounds("UTF8_LCASE", long) === (Some("x" * 32), Some("x" * 32 + "\uFFFF")))
    val faces = "x" * 32 + "😀"
    val last = Character.toString(0x10ffff)
    assert(bounds("UTF8_LCASE", faces) === (Some("x" * 32), Some("x" * 32 + last)))
  }

  test("a vowel of Thai is not cut from the consonant it sorts after") {
    val word = "a" * 31 + "เก" + "b" * 40
    val (lower, upper) = bounds("UNICODE", word)
    assert(lower === Some(word.take(64)))
    assert(upper === Some(word.take(32) + "\uFFFF"))
  }

  test("marks that swap places are kept together, or the value is kept whole") {
    val word = "a" * 31 + "e\u0315\u0301" + "b"
    for (collation <- Seq("UNICODE", "as", "vi"))
      assert(faults(
        collation,
        Seq(utf8(word)),
        33,
        BoundTruncation.truncateMin,
        BoundTruncation.truncateMax
      ) === Nil)
  }

  test("the highest characters at the cut make bounds longer, never wrong") {
    for {
      collation <- collations
      top <- Seq("\uFFFF", "\uFFFE", "\uFFFD", "😀", Character.toString(0x10ffff))
      tail <- Seq(top, top * 2, top * 70, top + "a", "z" + top * 3)
    } assert(faults(
      collation,
      Seq(utf8("x" * 31 + tail)),
      32,
      BoundTruncation.truncateMin,
      BoundTruncation.truncateMax
    ) === Nil)
  }

  test("a value of a megabyte gets short bounds, or none") {
    val long = "Straße " * 150000
    val (lower, upper) = bounds("UNICODE_CI", long)
    assert(lower.exists(_.length == 32))
    assert(upper.exists(_.length == 33))
    assert(bounds("UNICODE_CI", "\uFFFF" * 400000) === (Some("\uFFFF" * 32), None))
  }

  test("no value is kept whole beyond the limit, unless the table asks for longer prefixes") {
    val tops = "\uFFFF" * (BoundTruncation.MaxBytes.toInt / 3)
    assert(bounds("UNICODE", tops)._2 === Some(tops))
    assert(bounds("UNICODE", tops + "\uFFFF")._2 === None)
    assert(bounds("UNICODE", tops + "\uFFFF", 5000)._2 === Some(tops + "\uFFFF"))
  }

  test("a prefix of no characters gives no bounds") {
    for (prefix <- Seq(0, -1, Int.MinValue))
      assert(bounds("UNICODE", "abc", prefix) === (None, None))
  }

  test("broken UTF-8 is repaired if that proves the same, and else gives no bound") {
    val broken = UTF8String.fromBytes(Array[Byte]('a', -1))
    val repaired = Some(utf8("a\uFFFD"))
    val unicode = SparkOrder("UNICODE")
    assert(BoundTruncation.truncateMin(broken, 32, unicode) === repaired)
    assert(BoundTruncation.truncateMax(broken, 32, unicode) === repaired)
    val bytes = SparkOrder("UTF8_BINARY_RTRIM")
    assert(BoundTruncation.truncateMin(broken, 32, bytes) === repaired)
    assert(BoundTruncation.truncateMax(broken, 32, bytes) === None)
  }

  private def utf8(text: String): UTF8String = UTF8String.fromString(text)

  private def bounds(collation: String, value: String, prefix: Int = 32) = {
    val order = SparkOrder(collation)
    val lower = BoundTruncation.truncateMin(utf8(value), prefix, order)
    val upper = BoundTruncation.truncateMax(utf8(value), prefix, order)
    (lower.map(_.toString), upper.map(_.toString))
  }

  /** Random files, until one gets a bound that is wrong. */
  private def firstFault(collation: String, lower: Cut, upper: Cut): Option[String] = {
    val seed = 20260101L
    val strings = new Strings(seed)
    Iterator.fill(1500) {
      val file = Seq.fill(strings.between(1, 4))(strings.long())
      faults(collation, file, strings.between(1, 40), lower, upper)
    }.flatten.map(fault => s"seed $seed: $fault").nextOption()
  }

  /** Judged by Spark's own comparator, which shares no code with what makes the bounds. */
  private def faults(
      collation: String,
      file: Seq[UTF8String],
      prefix: Int,
      lower: Cut,
      upper: Cut
  ): Seq[String] = {
    val spark = CollationFactory.fetchCollation(collation).comparator
    val order = SparkOrder(collation)
    val least = lower(file.min(Ordering.comparatorToOrdering(spark)), prefix, order).toSeq
    val greatest = upper(file.max(Ordering.comparatorToOrdering(spark)), prefix, order).toSeq
    val below = for (bound <- least; value <- file if spark.compare(bound, value) > 0)
      yield s"$bound is not below $value"
    val above = for (bound <- greatest; value <- file if spark.compare(bound, value) < 0)
      yield s"$bound is not above $value"
    val invalid = for (bound <- least ++ greatest if !bound.isValid) yield s"$bound is broken"
    (below ++ above ++ invalid).map(fault => s"$fault under $collation, prefix $prefix")
  }
}
