// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.search

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}
import java.util.stream.IntStream

import scala.util.Try

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.SparkSearch
import org.deltacollations.testutil.{AgainstSpark, SearchCases}
import org.scalatest.funsuite.AnyFunSuite

class CollatedSearchSuite extends AnyFunSuite {

  private val Seed = 20260103L

  private val all = AgainstSpark.collations

  private val important =
    """UTF8_BINARY UTF8_BINARY_RTRIM UTF8_LCASE UTF8_LCASE_RTRIM UNICODE UNICODE_CI UNICODE_AI
      |UNICODE_CI_AI UNICODE_RTRIM UNICODE_CI_RTRIM UNICODE_CI_AI_RTRIM da da_CI sv sv_CI_AI de de_CI
      |de_AI fr fr_CI_AI fr_CAN fr_CAN_CI th th_CI ja ja_CI zh zh_CI zh_Hant_TWN ko ko_CI_AI tr tr_CI
      |cs cs_CI hu hu_CI_AI hr hr_CI sk es es_CI et lt_CI vi vi_CI_AI ar ar_CI ru ru_CI hi"""
      .stripMargin.split("\\s").toSeq

  for (collation <- important)
    test(s"$collation searches as Spark does") {
      assert(cases.take(800).flatMap(AgainstSpark.searches(collation, _)) === Nil)
    }

  test("every language searches as Spark does") {
    val languages = all.groupBy(_.takeWhile(_ != '_')).values.toSeq
    val some = languages.zipWithIndex.map { case (named, i) => named(i % named.size) }
    assert(all.size > 1000 && some.size > 90)
    assert(some.flatMap(collation =>
      cases.take(40).flatMap(AgainstSpark.searches(collation, _))
    ) === Nil)
  }

  for (collation <- Seq("UTF8_LCASE", "UNICODE", "UNICODE_CI", "UNICODE_CI_AI", "de_CI", "fr_CAN"))
    test(s"words of Europe and Asia are searched by $collation without Spark") {
      val searcher = SparkSearch.search(collation, NoTruth).searcher()
      val words = "Straße école Ærø fiancée Łódź señor naïve война мир λόγος 中文 漢字 かな".split(' ')
      val text = utf8(words.mkString(" - "))
      for (word <- words; pattern = utf8(word)) {
        assert(searcher.contains(text, pattern))
        assert(searcher.startsWith(text, pattern) === (word == words.head))
        assert(searcher.endsWith(text, pattern) === (word == words.last))
        assert(searcher.indexOf(text, pattern, 0) === text.toString.indexOf(word))
        val without = utf8(text.toString.replace(word, ""))
        assert(searcher.replace(text, pattern, utf8("")) === without)
        assert(!searcher.contains(without, pattern))
      }
    }

  test("a character of two letters matches both or none") {
    val searcher = SparkSearch.search("de_CI_AI", NoTruth).searcher()
    def indexOf(text: String, pattern: String) = searcher.indexOf(utf8(text), utf8(pattern), 0)
    assert(indexOf("Maß", "MASS") === 0)
    assert(indexOf("Masse", "aß") === 1)
    assert(indexOf("Maß", "mas") === -1)
    assert(indexOf("ßs", "sß") === 0)
    assert(indexOf("aßß", "sss") === -1)
    assert(searcher.replace(utf8("Maß und Masse"), utf8("ss"), utf8("t")) === utf8("Mat und Mate"))
    assert(!searcher.endsWith(utf8("Maß"), utf8("s")))
    assert(searcher.endsWith(utf8("Maß"), utf8("ass")))
  }

  test("what joins its neighbours is left to Spark") {
    val joined = Seq(
      "UNICODE_CI" -> ("cafe\u0301" -> "cafe"),
      "UNICODE_CI" -> ("a\r\n" -> "\n"),
      "UNICODE_CI" -> ("a\u0000b" -> "ab"),
      "UNICODE" -> ("เก" -> "ก"),
      "cs" -> ("ch" -> "h"),
      "da" -> ("aa" -> "a"),
      "ko" -> ("\u1100\u1161" -> "\u1100"),
      "th" -> ("a-b" -> "ab"),
      "UTF8_LCASE" -> ("İ" -> "i"),
      "UNICODE" -> ("\uD83D\uDC68\u200D\uD83D\uDC69" -> "\uD83D\uDC69")
    )
    for ((collation, (text, pattern)) <- joined) {
      val searcher = SparkSearch.search(collation, NoTruth).searcher()
      intercept[IllegalStateException](searcher.contains(utf8(text), utf8(pattern)))
      intercept[IllegalStateException](searcher.endsWith(utf8(text), utf8(pattern)))
    }
  }

  test("spaces at the end count in a replacement, but in no other search that ignores them") {
    val searcher = SparkSearch.search("UNICODE_CI_RTRIM", NoTruth).searcher()
    assert(searcher.endsWith(utf8("at home  "), utf8("HOME ")))
    assert(searcher.contains(utf8("home"), utf8("ME ")))
    assert(searcher.indexOf(utf8("at home"), utf8("HOME "), 2) === 3)
    assert(searcher.replace(utf8("at home "), utf8("HOME "), utf8("sea")) === utf8("at sea"))
    assert(searcher.replace(utf8("at home"), utf8("HOME "), utf8("sea")) === utf8("at home"))
  }

  test("a pattern whose bytes change is read again") {
    val searcher = SparkSearch("UNICODE_CI").searcher()
    val row = "xa".getBytes
    val pattern = UTF8String.fromBytes(row, 1, 1)
    assert(searcher.contains(utf8("an"), pattern))
    row(1) = 'b'
    assert(!searcher.contains(utf8("an"), pattern))
  }

  test("texts are searched without Spark again when they can be") {
    val truth = new SparkSearch.Native("UNICODE_CI")
    val fallback = new Counting(truth)
    val searcher = SparkSearch.search("UNICODE_CI", fallback).searcher()
    for (_ <- 1 to 1000) assert(searcher.contains(utf8("ประเทศ"), utf8("ไท")) === false)
    assert(fallback.asked === 1000)
    for (_ <- 1 to 1000) assert(searcher.contains(utf8("Land"), utf8("AND")))
    assert(fallback.asked < 1050)
  }

  test("a text of a million letters is searched to its end") {
    val text = utf8("Größe " * 150000 + "Maß")
    val searcher = SparkSearch.search("UNICODE_CI", NoTruth).searcher()
    assert(searcher.indexOf(text, utf8("maß"), 0) === 900000)
    assert(!searcher.contains(text, utf8("größer")))
  }

  test("texts outside the heap are searched as those inside") {
    val searcher = SparkSearch("UNICODE_CI").searcher()
    for (one <- cases.take(500)) {
      val address = Platform.allocateMemory(one.text.numBytes + 1L)
      one.text.writeToMemory(null, address)
      val outside = one.copy(text = UTF8String.fromAddress(null, address, one.text.numBytes))
      try
        for (
          (outer, inner) <-
            AgainstSpark.operations(searcher, outside).zip(AgainstSpark.operations(searcher, one))
        )
          assert(Try(outer()).toOption === Try(inner()).toOption, s"seed $Seed")
      finally Platform.freeMemory(address)
    }
  }

  test("threads share the tables while they are filled") {
    val some = cases.take(400).toIndexedSeq
    val spark = new SparkSearch.Native("uk_CI")
    val search = SparkSearch.search("uk_CI", spark)
    val wrong = IntStream.range(0, 4000).parallel().filter { i =>
      val one = some(i % some.size)
      search.searcher().contains(one.text, one.pattern) != spark.contains(one.text, one.pattern)
    }
    assert(wrong.count() === 0)
  }

  test("a search travels as a name") {
    val bytes = new ByteArrayOutputStream
    new ObjectOutputStream(bytes).writeObject(SparkSearch("UNICODE_CI"))
    val arrived = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)).readObject()
    assert(bytes.size < 200)
    assert(arrived === SparkSearch("UNICODE_CI"))
  }

  private def utf8(text: String): UTF8String = UTF8String.fromString(text)

  private class Counting(spark: CollatedSearch.Operations) extends CollatedSearch.Operations {
    var asked = 0
    private def counted[A](answer: A): A = { asked += 1; answer }
    override def contains(text: UTF8String, pattern: UTF8String): Boolean =
      counted(spark.contains(text, pattern))
    override def startsWith(text: UTF8String, pattern: UTF8String): Boolean =
      counted(spark.startsWith(text, pattern))
    override def endsWith(text: UTF8String, pattern: UTF8String): Boolean =
      counted(spark.endsWith(text, pattern))
    override def indexOf(text: UTF8String, pattern: UTF8String, start: Int): Int =
      counted(spark.indexOf(text, pattern, start))
    override def replace(text: UTF8String, search: UTF8String, by: UTF8String): UTF8String =
      counted(spark.replace(text, search, by))
  }

  /** Stands for Spark where Spark must not be asked. */
  private object NoTruth extends CollatedSearch.Operations {
    private def asked = throw new IllegalStateException("left to Spark")
    override def contains(text: UTF8String, pattern: UTF8String): Boolean = asked
    override def startsWith(text: UTF8String, pattern: UTF8String): Boolean = asked
    override def endsWith(text: UTF8String, pattern: UTF8String): Boolean = asked
    override def indexOf(text: UTF8String, pattern: UTF8String, start: Int): Int = asked
    override def replace(text: UTF8String, search: UTF8String, by: UTF8String): UTF8String = asked
  }

  private lazy val cases = {
    val cases = new SearchCases(Seed)
    LazyList.continually(cases.next())
  }
}
