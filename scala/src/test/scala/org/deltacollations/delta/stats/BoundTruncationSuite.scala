// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats

import org.apache.spark.sql.catalyst.util.CollationFactory
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.{CollationOrder, SparkOrder}
import org.deltacollations.testutil.Strings
import org.scalatest.funsuite.AnyFunSuite

class BoundTruncationSuite extends AnyFunSuite {

  private type Truncation = (UTF8String, Int, CollationOrder) => Option[UTF8String]

  private val collations =
    """UTF8_LCASE UTF8_BINARY_RTRIM UTF8_LCASE_RTRIM UNICODE UNICODE_CI UNICODE_CI_AI UNICODE_CI_RTRIM
      |de de_CI_AI sv da hr hu cs ja zh tr es th_CI_AI lo""".stripMargin.split("\\s").toSeq

  for (collation <- collations)
    test(s"bounds under $collation hold for every value of a file") {
      assert(firstViolation(collation, BoundTruncation.truncateMin, BoundTruncation.truncateMax) ===
        None)
    }

  test("the test detects prefixes that are not lower bounds") {
    val prefix: Truncation = (value, length, _) => Some(value.makeValid().substring(0, length))
    assert(collations.flatMap(firstViolation(
      _,
      prefix,
      BoundTruncation.truncateMax
    )).exists(_.contains("below")))
  }

  for (highest <- Seq("\u007F", "\uFFFF", Character.toString(0x10ffff)))
    test(f"the test detects that U+${highest.codePointAt(0)}%04X does not sort last") {
      val truncateMax: Truncation = (value, length, _) => {
        val valid = value.makeValid()
        val truncated = valid.substring(0, length)
        Some(if (truncated == valid) valid else UTF8String.concat(truncated, utf8(highest)))
      }
      assert(collations.flatMap(firstViolation(
        _,
        BoundTruncation.truncateMin,
        truncateMax
      )).exists(_.contains("above")))
    }

  test("a value that is not longer than the prefix is its own bound") {
    for (value <- Seq("", "a", "Straße", "a" * 32, "😀" * 32))
      assert(bounds("UNICODE_CI", value) === (Some(value), Some(value)))
  }

  test("a long value is truncated, and its maximum ends with the highest character") {
    val long = "x" * 33
    assert(bounds("UNICODE_CI", long) === (Some("x" * 32), Some("x" * 32 + "\uFFFF")))
    assert(bounds("UTF8_LCASE", long) === (Some("x" * 32), Some("x" * 32 + "\uFFFF")))
    val supplementary = "x" * 32 + "😀"
    val highest = Character.toString(0x10ffff)
    assert(bounds("UTF8_LCASE", supplementary) === (Some("x" * 32), Some("x" * 32 + highest)))
  }

  test("a Thai vowel is not separated from the consonant that it sorts after") {
    val word = "a" * 31 + "เก" + "b" * 40
    val (min, max) = bounds("UNICODE", word)
    assert(min === Some(word.take(64)))
    assert(max === Some(word.take(32) + "\uFFFF"))
  }

  test("reordered combining marks at the truncation give correct bounds") {
    val word = "a" * 31 + "e\u0315\u0301" + "b"
    for (collation <- Seq("UNICODE", "as", "vi"))
      assert(violations(
        collation,
        Seq(utf8(word)),
        33,
        BoundTruncation.truncateMin,
        BoundTruncation.truncateMax
      ) === Nil)
  }

  test("the highest characters at the truncation give longer bounds, never wrong ones") {
    for {
      collation <- collations
      high <- Seq("\uFFFF", "\uFFFE", "\uFFFD", "😀", Character.toString(0x10ffff))
      tail <- Seq(high, high * 2, high * 70, high + "a", "z" + high * 3)
    } assert(violations(
      collation,
      Seq(utf8("x" * 31 + tail)),
      32,
      BoundTruncation.truncateMin,
      BoundTruncation.truncateMax
    ) === Nil)
  }

  test("a value of one megabyte has short bounds or none") {
    val long = "Straße " * 150000
    val (min, max) = bounds("UNICODE_CI", long)
    assert(min.exists(_.length == 32))
    assert(max.exists(_.length == 33))
    assert(bounds("UNICODE_CI", "\uFFFF" * 400000) === (Some("\uFFFF" * 32), None))
  }

  test("bounds are not longer than the limit, unless the table requests longer prefixes") {
    val highest = "\uFFFF" * (BoundTruncation.MaxBytes.toInt / 3)
    assert(bounds("UNICODE", highest)._2 === Some(highest))
    assert(bounds("UNICODE", highest + "\uFFFF")._2 === None)
    assert(bounds("UNICODE", highest + "\uFFFF", 5000)._2 === Some(highest + "\uFFFF"))
  }

  test("truncateMin and truncateMax return None if the prefix length is not positive") {
    for (prefix <- Seq(0, -1, Int.MinValue))
      assert(bounds("UNICODE", "abc", prefix) === (None, None))
  }

  test("malformed UTF-8 is replaced only if the result is a bound") {
    val malformed = UTF8String.fromBytes(Array[Byte]('a', -1))
    val replaced = Some(utf8("a\uFFFD"))
    val unicode = SparkOrder("UNICODE")
    assert(BoundTruncation.truncateMin(malformed, 32, unicode) === replaced)
    assert(BoundTruncation.truncateMax(malformed, 32, unicode) === replaced)
    val binary = SparkOrder("UTF8_BINARY_RTRIM")
    assert(BoundTruncation.truncateMin(malformed, 32, binary) === replaced)
    assert(BoundTruncation.truncateMax(malformed, 32, binary) === None)
  }

  private def utf8(text: String): UTF8String = UTF8String.fromString(text)

  private def bounds(collation: String, value: String, prefix: Int = 32) = {
    val order = SparkOrder(collation)
    val min = BoundTruncation.truncateMin(utf8(value), prefix, order)
    val max = BoundTruncation.truncateMax(utf8(value), prefix, order)
    (min.map(_.toString), max.map(_.toString))
  }

  /** Generates random files until a bound is wrong. */
  private def firstViolation(
      collation: String,
      truncateMin: Truncation,
      truncateMax: Truncation
  ): Option[String] = {
    val seed = 20260101L
    val strings = new Strings(seed)
    Iterator.fill(1500) {
      val file = Seq.fill(strings.between(1, 4))(strings.long())
      violations(collation, file, strings.between(1, 40), truncateMin, truncateMax)
    }.flatten.map(violation => s"seed $seed: $violation").nextOption()
  }

  /** Compares by Spark's own comparator, which shares no code with the truncation. */
  private def violations(
      collation: String,
      file: Seq[UTF8String],
      prefix: Int,
      truncateMin: Truncation,
      truncateMax: Truncation
  ): Seq[String] = {
    val spark = CollationFactory.fetchCollation(collation).comparator
    val order = SparkOrder(collation)
    val ordering = Ordering.comparatorToOrdering(spark)
    val min = truncateMin(file.min(ordering), prefix, order).toSeq
    val max = truncateMax(file.max(ordering), prefix, order).toSeq
    val below = for (bound <- min; value <- file if spark.compare(bound, value) > 0)
      yield s"$bound is not below $value"
    val above = for (bound <- max; value <- file if spark.compare(bound, value) < 0)
      yield s"$bound is not above $value"
    val invalid = for (bound <- min ++ max if !bound.isValid) yield s"$bound is malformed"
    (below ++ above ++ invalid).map(violation => s"$violation under $collation, prefix $prefix")
  }
}
