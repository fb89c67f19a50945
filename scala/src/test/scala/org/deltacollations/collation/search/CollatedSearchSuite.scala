// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.search

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}
import java.util.stream.IntStream

import scala.util.Try

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.SparkSearch
import org.deltacollations.testutil.{AgainstSpark, SearchCase, SearchCases}
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
    test(s"$collation searches return the same results as Spark") {
      assert(cases.take(800).flatMap(AgainstSpark.searches(collation, _)) === Nil)
    }

  test("searches in every language return the same results as Spark") {
    val languages = all.groupBy(_.takeWhile(_ != '_')).values.toSeq
    val sample = languages.zipWithIndex.map { case (names, i) => names(i % names.size) }
    assert(all.size > 1000 && sample.size > 90)
    assert(sample.flatMap(collation =>
      cases.take(40).flatMap(AgainstSpark.searches(collation, _))
    ) === Nil)
  }

  for (collation <- Seq("UTF8_LCASE", "UNICODE", "UNICODE_CI", "UNICODE_CI_AI", "de_CI", "fr_CAN"))
    test(s"$collation searches in common scripts do not use the fallback") {
      val searcher = SparkSearch.search(collation, NoFallback).searcher()
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

  test("an expansion matches all of its elements or none") {
    val searcher = SparkSearch.search("de_CI_AI", NoFallback).searcher()
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

  test("context-dependent characters use the fallback") {
    val searches = Seq(
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
    for ((collation, (text, pattern)) <- searches) {
      val searcher = SparkSearch.search(collation, NoFallback).searcher()
      intercept[IllegalStateException](searcher.contains(utf8(text), utf8(pattern)))
      intercept[IllegalStateException](searcher.endsWith(utf8(text), utf8(pattern)))
    }
  }

  test("RTRIM collations ignore trailing spaces except in replace") {
    val searcher = SparkSearch.search("UNICODE_CI_RTRIM", NoFallback).searcher()
    assert(searcher.endsWith(utf8("at home  "), utf8("HOME ")))
    assert(searcher.contains(utf8("home"), utf8("ME ")))
    assert(searcher.indexOf(utf8("at home"), utf8("HOME "), 2) === 3)
    assert(searcher.replace(utf8("at home "), utf8("HOME "), utf8("sea")) === utf8("at sea"))
    assert(searcher.replace(utf8("at home"), utf8("HOME "), utf8("sea")) === utf8("at home"))
  }

  test("a pattern whose bytes change is compiled again") {
    val searcher = SparkSearch("UNICODE_CI").searcher()
    val row = "xa".getBytes
    val pattern = UTF8String.fromBytes(row, 1, 1)
    assert(searcher.contains(utf8("an"), pattern))
    row(1) = 'b'
    assert(!searcher.contains(utf8("an"), pattern))
  }

  test("a searcher soon stops using the fallback after many texts that needed it") {
    val spark = new SparkSearch.SparkOperations("UNICODE_CI")
    val fallback = new CountingOperations(spark)
    val searcher = SparkSearch.search("UNICODE_CI", fallback).searcher()
    for (_ <- 1 to 1000) assert(searcher.contains(utf8("ประเทศ"), utf8("ไท")) === false)
    assert(fallback.calls === 1000)
    for (_ <- 1 to 1000) assert(searcher.contains(utf8("Land"), utf8("AND")))
    assert(fallback.calls < 1050)
  }

  test("a text of a million characters is searched to its end") {
    val text = utf8("Größe " * 150000 + "Maß")
    val searcher = SparkSearch.search("UNICODE_CI", NoFallback).searcher()
    assert(searcher.indexOf(text, utf8("maß"), 0) === 900000)
    assert(!searcher.contains(text, utf8("größer")))
  }

  test("off-heap and on-heap texts have the same search results") {
    val searcher = SparkSearch("UNICODE_CI").searcher()
    for (onHeap <- cases.take(500)) {
      val address = Platform.allocateMemory(onHeap.text.numBytes + 1L)
      onHeap.text.writeToMemory(null, address)
      val text = UTF8String.fromAddress(null, address, onHeap.text.numBytes)
      val offHeap = onHeap.copy(text = text)
      try
        AgainstSpark.operations(searcher, offHeap)
          .zip(AgainstSpark.operations(searcher, onHeap))
          .foreach { case (off, on) =>
            assert(Try(off()).toOption === Try(on()).toOption, s"seed $Seed")
          }
      finally Platform.freeMemory(address)
    }
  }

  test("tables that concurrent threads fill are correct") {
    val shared = cases.take(400).toIndexedSeq
    val spark = new SparkSearch.SparkOperations("uk_CI")
    val search = SparkSearch.search("uk_CI", spark)
    val wrong = IntStream.range(0, 4000).parallel().filter { i =>
      val SearchCase(text, pattern, _, _) = shared(i % shared.size)
      search.searcher().contains(text, pattern) != spark.contains(text, pattern)
    }
    assert(wrong.count() === 0)
  }

  test("SparkSearch is serialized by name") {
    val bytes = new ByteArrayOutputStream
    new ObjectOutputStream(bytes).writeObject(SparkSearch("UNICODE_CI"))
    val input = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray))
    val deserialized = input.readObject()
    assert(bytes.size < 200)
    assert(deserialized === SparkSearch("UNICODE_CI"))
  }

  private def utf8(string: String): UTF8String = UTF8String.fromString(string)

  private class CountingOperations(spark: CollatedSearch.Operations)
      extends CollatedSearch.Operations {
    var calls = 0
    private def counted[A](result: A): A = { calls += 1; result }
    override def contains(text: UTF8String, pattern: UTF8String): Boolean =
      counted(spark.contains(text, pattern))
    override def startsWith(text: UTF8String, pattern: UTF8String): Boolean =
      counted(spark.startsWith(text, pattern))
    override def endsWith(text: UTF8String, pattern: UTF8String): Boolean =
      counted(spark.endsWith(text, pattern))
    override def indexOf(text: UTF8String, pattern: UTF8String, start: Int): Int =
      counted(spark.indexOf(text, pattern, start))
    override def replace(
        text: UTF8String,
        search: UTF8String,
        replacement: UTF8String
    ): UTF8String =
      counted(spark.replace(text, search, replacement))
  }

  /** A fallback that must not be called. */
  private object NoFallback extends CollatedSearch.Operations {
    private def unexpected = throw new IllegalStateException("fallback")
    override def contains(text: UTF8String, pattern: UTF8String): Boolean = unexpected
    override def startsWith(text: UTF8String, pattern: UTF8String): Boolean = unexpected
    override def endsWith(text: UTF8String, pattern: UTF8String): Boolean = unexpected
    override def indexOf(text: UTF8String, pattern: UTF8String, start: Int): Int = unexpected
    override def replace(
        text: UTF8String,
        search: UTF8String,
        replacement: UTF8String
    ): UTF8String = unexpected
  }

  private lazy val cases = {
    val cases = new SearchCases(Seed)
    LazyList.continually(cases.next())
  }
}
