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
    test(s"the keys of $collation are Spark's, byte for byte") {
      assert(AgainstSpark.keys(collation, samples ++ contractions(collation)) === Nil)
    }

  test("the keys of every collation are Spark's, byte for byte") {
    assert(all.size > 1000)
    assert(all.flatMap(AgainstSpark.keys(_, samples.take(50))) === Nil)
  }

  for (collation <- important if SparkSortKeys(collation).isUsable)
    test(s"keys of $collation compare as Spark compares strings") {
      val contracted = contractions(collation).zip(contractions(collation).drop(1))
      assert(AgainstSpark.comparisons(collation, pairs ++ contracted) === Nil)
    }

  test("keys are of no use where Spark's comparator does not agree with them") {
    val useless = all.filterNot(SparkSortKeys(_).isUsable).map(_.stripSuffix("_RTRIM")).toSet
    val (accentsOnly, others) = useless.partition(_.matches(".*(?<!_CI)_AI"))
    assert(accentsOnly.size === CollationFactory.getICULocaleNames.length)
    assert(others === Set("th", "th_CI", "fr_CAN", "fr_CAN_CI"))
  }

  test("a string that mixes scripts, of a megabyte, has the key of Spark") {
    val parts = (samples ++ samples).filter(_.isValid)
    val text = UTF8String.concat(Iterator.continually(parts).flatten.take(120000).toSeq: _*)
    val plain = UTF8String.fromString("Grüße, 1 Æble ".repeat(80000))
    for (collation <- Seq("UNICODE", "UNICODE_CI", "UTF8_LCASE", "da"); long <- Seq(text, plain)) {
      assert(long.numBytes > 1000000)
      assert(AgainstSpark.keys(collation, Seq(long, utf8("a"))).isEmpty, collation)
    }
  }

  for (
    collation <- Seq("UNICODE", "UNICODE_CI", "UNICODE_CI_AI", "UTF8_LCASE", "de_CI", "da", "ru")
  )
    test(s"most text gets its key of $collation without Spark") {
      val text = Seq(
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
        "👍😀"
      )
      val counted = new Counted(collation)
      assert(text.filter(line => counted.asksSpark(utf8(line))) === Nil)
    }

  test("characters that combine are left to Spark") {
    val joined = Seq(
      "cs" -> "ch",
      "da" -> "aa",
      "hu" -> "dzs",
      "UNICODE" -> "e\u0301",
      "UNICODE" -> "เก",
      "UNICODE" -> "l·",
      "ja" -> "カー",
      "ko" -> "\u1100\u1161",
      "UNICODE" -> "a\u00ADb"
    )
    assert(joined.filterNot { case (name, text) => new Counted(name).asksSpark(utf8(text)) } ===
      Nil)
  }

  test("after a column that always needs Spark, others soon do without it") {
    val counted = new Counted("UNICODE_CI")
    (1 to 1000).foreach(_ => counted.asksSpark(utf8("เก้า")))
    val asked = (1 to 1000).map(_ => counted.asksSpark(utf8("nine")))
    assert(asked.lastIndexOf(true) < 100)
  }

  test("a key stays as it is when the next is made") {
    val writer = SparkSortKeys("UNICODE_CI").writer()
    val key = writer.key(utf8("first"))
    val copy = key.clone()
    writer.key(utf8("second, and longer"))
    assert(key === copy)
  }

  test("keys of strings outside the heap are those of strings inside") {
    for (collation <- Seq("UNICODE_CI", "UTF8_LCASE"); text <- samples.take(300)) {
      val writer = SparkSortKeys(collation).writer()
      val address = Platform.allocateMemory(text.numBytes + 1L)
      text.writeToMemory(null, address)
      val outside = UTF8String.fromAddress(null, address, text.numBytes)
      try assert(writer.key(outside) === writer.key(text), s"seed $Seed")
      finally Platform.freeMemory(address)
    }
  }

  test("tables that many threads fill at once are right") {
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
      samples.foreach { text =>
        if (!Arrays.equals(writer.key(text), spark.sortKeyFunction.apply(text)))
          wrong.incrementAndGet()
      }
    }))
    threads.foreach(_.start())
    threads.foreach(_.join())
    assert(wrong.get === 0)
  }

  test("keys travel as a name") {
    val bytes = new ByteArrayOutputStream
    val keys = SparkSortKeys("UNICODE_CI")
    val key = keys.writer().key(utf8("a"))
    new ObjectOutputStream(bytes).writeObject(keys)
    val arrived = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)).readObject()
    assert(bytes.size < 200)
    assert(arrived === keys)
    assert(arrived.asInstanceOf[SparkSortKeys].writer().key(utf8("A")) === key)
  }

  /** A writer whose questions to Spark are counted, but for those that fill its tables. */
  final private class Counted(collation: String) {
    private val asked = new AtomicInteger
    private val spark = CollationFactory.fetchCollation(collation)
    private val keys = spark.getCollator match {
      case collator: RuleBasedCollator =>
        SortKeys.ofCollator(collator, identity(_), keyOf(_), spark.comparator)
      case _ => SortKeys.ofLetters(identity(_), keyOf(_))
    }
    private val writer = keys.writer()

    private def keyOf(text: UTF8String): Array[Byte] = {
      asked.incrementAndGet()
      spark.sortKeyFunction.apply(text)
    }

    def asksSpark(text: UTF8String): Boolean = {
      keys.writer().key(text)
      asked.set(0)
      writer.key(text)
      asked.get > 0
    }
  }

  private def utf8(text: String): UTF8String = UTF8String.fromString(text)

  private lazy val pairs = {
    val strings = new Strings(Seed)
    Seq.fill(3000)(strings.pair())
  }

  private lazy val samples = {
    val strings = new Strings(Seed)
    val broken =
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
    val odd = Seq("", " ", "a ", "   ", "\u0000", "a" * 500, "aB" * 200, "é" * 100).map(utf8)
    odd ++ broken.map(UTF8String.fromBytes(_)) ++
      Seq.fill(1200)(strings.next()) ++ Seq.fill(300)(strings.long())
  }

  private def contractions(collation: String): Seq[UTF8String] =
    CollationFactory.fetchCollation(collation).getCollator match {
      case collator: RuleBasedCollator =>
        val found = new UnicodeSet
        collator.getContractionsAndExpansions(found, null, true)
        found.strings.asScala.toSeq.flatMap(text => Seq(utf8(text), utf8(s"x${text}a$text")))
      case _ => Nil
    }
}
