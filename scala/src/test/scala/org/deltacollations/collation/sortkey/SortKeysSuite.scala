// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}
import java.util.concurrent.atomic.AtomicInteger
import java.util.{Arrays, HexFormat}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.util.CollationFactory
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

import com.ibm.icu.text.{RuleBasedCollator, UnicodeSet}
import org.deltacollations.collation.SparkSortKeys
import org.deltacollations.testutil.{AgainstSpark, Strings}
import org.scalatest.funsuite.AnyFunSuite

class SortKeysSuite extends AnyFunSuite {

  private val Seed = 20260103L

  private val all = AgainstSpark.collations

  private val important =
    """UTF8_BINARY UTF8_BINARY_RTRIM UTF8_LCASE UTF8_LCASE_RTRIM UNICODE UNICODE_CI UNICODE_AI
      |UNICODE_CI_AI UNICODE_RTRIM UNICODE_CI_RTRIM UNICODE_CI_AI_RTRIM en_USA_CI_AI de de_CI de_CI_AI
      |sv da da_CI mt hr cs cs_CI hu hu_CI_AI sk es et lt tr az_CI el vi pl_CI fr fr_CAN fr_CAN_CI_AI
      |ru ru_CI th th_CI_RTRIM th_CI_AI lo ja ja_CI ko zh zh_CI zh_Hant_TWN ar ar_CI_AI he hi""".stripMargin
      .split("\\s").toSeq

  for (collation <- important)
    test(s"$collation sort keys are byte-identical to Spark's") {
      assert(AgainstSpark.keys(collation, samples ++ contractions(collation)) === Nil)
    }

  test("sort keys of every collation are byte-identical to Spark's") {
    assert(all.size > 1000)
    assert(all.flatMap(AgainstSpark.keys(_, samples.take(50))) === Nil)
  }

  for (collation <- important if SparkSortKeys(collation).agreesWithComparator)
    test(s"$collation sort keys compare like Spark's comparator") {
      val contractionPairs = contractions(collation).zip(contractions(collation).drop(1))
      assert(AgainstSpark.comparisons(collation, pairs ++ contractionPairs) === Nil)
    }

  test("agreesWithComparator is false only for collations whose keys and comparator differ") {
    val disagreeing = all.filterNot(SparkSortKeys(_).agreesWithComparator)
      .map(_.stripSuffix("_RTRIM")).toSet
    val (accentInsensitive, rest) = disagreeing.partition(_.matches(".*(?<!_CI)_AI"))
    assert(accentInsensitive.size === CollationFactory.getICULocaleNames.length)
    assert(rest === Set("th", "th_CI", "fr_CAN", "fr_CAN_CI"))
  }

  test("sort keys of megabyte strings are byte-identical to Spark's") {
    val parts = (samples ++ samples).filter(_.isValid)
    val mixed = UTF8String.concat(Iterator.continually(parts).flatten.take(120000).toSeq: _*)
    val latin = UTF8String.fromString("Grüße, 1 Æble ".repeat(80000))
    for (collation <- Seq("UNICODE", "UNICODE_CI", "UTF8_LCASE", "da"); long <- Seq(mixed, latin)) {
      assert(long.numBytes > 1000000)
      assert(AgainstSpark.keys(collation, Seq(long, utf8("a"))).isEmpty, collation)
    }
  }

  for (
    collation <- Seq("UNICODE", "UNICODE_CI", "UNICODE_CI_AI", "UTF8_LCASE", "de_CI", "da", "ru")
  )
    test(s"$collation sort keys of common scripts do not use the fallback") {
      val lines = Seq(
        "Hello, World 42!",
        "Äpfel über Straße, façade, Ærø, naïve Œuvre",
        "Zażółć gęślą jaźń",
        "Съешь ещё этих мягких булок",
        "Ελληνικό κείμενο",
        "中文漢字",
        "한글 나라",
        "ひらがなカタカナ",
        "שלום",
        "مرحبا",
        "👍😀",
        "ไทย เก่ง น้ำใจ ที่",
        "ໄທ ເກົ່າ",
        "नमस्ते कृष्ण ज़रा टो",
        "தமிழ் வெளொ",
        "cafe\u0301, Nguye\u0302\u0303n, e\u0323\u0302, é\u0323, l·l, a\u00ADb",
        "שָׁלוֹם",
        "مُحَمَّد ا\u0654",
        "\u1112\u1161\u11ab\u1100\u1173\u11af",
        "コーヒー カ\u3099 ｶﾞ ゝゞ"
      )
      val writer = new CountingWriter(collation)
      assert(lines.filter(line => writer.usesFallback(utf8(line))) === Nil)
    }

  test("contractions of a language do not use the fallback") {
    val cases = Seq(
      "cs" -> "ch Chc\u030c",
      "da" -> "aaAa a\u030a",
      "hu" -> "dzs ddzs",
      "vi" -> "e\u0302\u0301 e\u0323\u0302 ế",
      "ja" -> "コーヒー か\u3099ゝ",
      "ko" -> "\u1100\u1161",
      "my" -> "မြန်မာ"
    )
    assert(cases.filter { case (collation, string) =>
      new CountingWriter(collation).usesFallback(utf8(string))
    } === Nil)
  }

  test("strings that the tables cannot handle use the fallback") {
    val unassigned = "a\u0378"
    val mergeSeparator = "a\uFFFEb"
    val longSegment = "a" + "\u0301" * 20
    val writer = new CountingWriter("UNICODE")
    for (string <- Seq(unassigned, mergeSeparator, longSegment))
      assert(writer.usesFallback(utf8(string)))
    assert(writer.usesFallback(UTF8String.fromBytes(Array[Byte]('a', -1))))
  }

  test("a writer soon stops using the fallback after many strings that needed it") {
    val writer = new CountingWriter("UNICODE_CI")
    (1 to 1000).foreach(_ => writer.usesFallback(utf8("\u0378")))
    val fallbacks = (1 to 1000).map(_ => writer.usesFallback(utf8("nine")))
    assert(fallbacks.lastIndexOf(true) < 100)
  }

  test("a key is not modified when the next one is written") {
    val writer = SparkSortKeys("UNICODE_CI").writer()
    val key = writer.key(utf8("first"))
    val copy = key.clone()
    writer.key(utf8("second, and longer"))
    assert(key === copy)
  }

  test("off-heap strings have the same keys as on-heap strings") {
    for (collation <- Seq("UNICODE_CI", "UTF8_LCASE"); string <- samples.take(300)) {
      val writer = SparkSortKeys(collation).writer()
      val address = Platform.allocateMemory(string.numBytes + 1L)
      string.writeToMemory(null, address)
      val offHeap = UTF8String.fromAddress(null, address, string.numBytes)
      try assert(writer.key(offHeap) === writer.key(string), s"seed $Seed")
      finally Platform.freeMemory(address)
    }
  }

  test("tables that concurrent threads fill are correct") {
    val spark = CollationFactory.fetchCollation("UNICODE")
    val keys = SortKeys.ofCollator(
      spark.getCollator.asInstanceOf[RuleBasedCollator],
      identity(_),
      spark.sortKeyFunction,
      spark.comparator
    )
    val wrong = new AtomicInteger
    val threads = Seq.fill(4)(new Thread(() => {
      val writer = keys.writer()
      samples.foreach { string =>
        if (!Arrays.equals(writer.key(string), spark.sortKeyFunction.apply(string)))
          wrong.incrementAndGet()
      }
    }))
    threads.foreach(_.start())
    threads.foreach(_.join())
    assert(wrong.get === 0)
  }

  test("SparkSortKeys is serialized by name") {
    val bytes = new ByteArrayOutputStream
    val keys = SparkSortKeys("UNICODE_CI")
    val key = keys.writer().key(utf8("a"))
    new ObjectOutputStream(bytes).writeObject(keys)
    val input = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray))
    val deserialized = input.readObject()
    assert(bytes.size < 200)
    assert(deserialized === keys)
    assert(deserialized.asInstanceOf[SparkSortKeys].writer().key(utf8("A")) === key)
  }

  /** Counts the calls of Spark's key function, except for those that fill the tables. */
  final private class CountingWriter(collation: String) {
    private val calls = new AtomicInteger
    private val spark = CollationFactory.fetchCollation(collation)
    private val keys = spark.getCollator match {
      case collator: RuleBasedCollator =>
        SortKeys.ofCollator(collator, identity(_), keyOf(_), spark.comparator)
      case _ => SortKeys.ofCodePoints(identity(_), keyOf(_))
    }
    private val writer = keys.writer()

    private def keyOf(string: UTF8String): Array[Byte] = {
      calls.incrementAndGet()
      spark.sortKeyFunction.apply(string)
    }

    def usesFallback(string: UTF8String): Boolean = {
      keys.writer().key(string)
      calls.set(0)
      writer.key(string)
      calls.get > 0
    }
  }

  private def utf8(string: String): UTF8String = UTF8String.fromString(string)

  private lazy val pairs = {
    val strings = new Strings(Seed)
    Seq.fill(3000)(strings.pair())
  }

  private lazy val samples = {
    val strings = new Strings(Seed)
    val malformed =
      Seq(
        "eda0bdedb880",
        "c080",
        "e08080",
        "f0808080",
        "f4908080",
        "f5808080",
        "80",
        "61e282",
        "ff"
      )
        .flatMap(hex => Seq(hex, s"61${hex}62")).map(hex => HexFormat.of.parseHex(hex))
    val edgeCases = Seq("", " ", "a ", "   ", "\u0000", "a" * 500, "aB" * 200, "é" * 100).map(utf8)
    edgeCases ++ malformed.map(UTF8String.fromBytes(_)) ++
      Seq.fill(1200)(strings.next()) ++ Seq.fill(300)(strings.long())
  }

  private def contractions(collation: String): Seq[UTF8String] =
    CollationFactory.fetchCollation(collation).getCollator match {
      case collator: RuleBasedCollator =>
        val found = new UnicodeSet
        collator.getContractionsAndExpansions(found, null, true)
        found.strings.asScala.toSeq.flatMap(c => Seq(utf8(c), utf8(s"x${c}a$c")))
      case _ => Nil
    }
}
