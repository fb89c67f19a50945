// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}

import scala.jdk.CollectionConverters._
import scala.math.signum

import org.apache.spark.sql.catalyst.util.CollationFactory
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.sortkey.PrimaryWeightComparator
import org.deltacollations.testutil.Strings
import org.scalatest.funsuite.AnyFunSuite

class SparkOrderSuite extends AnyFunSuite {

  private val Seed = 20260102L

  private lazy val allCollations = CollationFactory.listCollations().asScala.map(_.getName).toSeq

  private val testedInDepth =
    """UTF8_BINARY UTF8_BINARY_RTRIM UTF8_LCASE UTF8_LCASE_RTRIM UNICODE UNICODE_CI UNICODE_AI
      |UNICODE_CI_AI UNICODE_RTRIM UNICODE_CI_RTRIM de de_CI_AI sv da da_CI hr cs hu es tr el vi fr_CAN
      |ru th th_CI_RTRIM lo ja ko zh zh_Hant_TWN ar he hi""".stripMargin.split("\\s").toSeq

  for (collation <- testedInDepth)
    test(s"SparkOrder compares as Spark does under $collation") {
      assert(differences(collation, pairs) === Nil)
    }

  test("SparkOrder compares as Spark does under every collation") {
    assert(allCollations.size > 1000)
    assert(allCollations.flatMap(differences(_, pairs.take(200))) === Nil)
  }

  for (
    collation <- Seq("UNICODE_CI", "UNICODE", "UTF8_LCASE", "de_CI_AI", "da", "UNICODE_CI_RTRIM")
  )
    test(s"the primary comparator decides most ASCII words under $collation") {
      val strings = new Strings(Seed)
      val comparator = SparkOrder.dataOf(collation).primaryComparator
      val undecided = Seq.fill(5000)((strings.asciiWord(), strings.asciiWord())).count {
        case (left, right) => comparator.compare(left, right) == PrimaryWeightComparator.UNDECIDED
      }
      assert(undecided < 500)
    }

  test("the primary comparator decides words of other scripts") {
    val words =
      "müde Äpfel école ñandú война мир λόγος 中文 漢字 かな กขค ลาน 한글 나라 שלום عرب".split(' ')
    val comparator = SparkOrder.dataOf("UNICODE_CI").primaryComparator
    for (left <- words; right <- words if left != right)
      assert(
        comparator.compare(utf8(left), utf8(right)) != PrimaryWeightComparator.UNDECIDED,
        s"$left, $right"
      )
  }

  test("the primary comparator leaves contractions and ignorable characters to the collator") {
    val undecided = Seq(
      "cs" -> ("ch" -> "cz"),
      "hr" -> ("dž" -> "dz"),
      "hu" -> ("dzs" -> "dza"),
      "da" -> ("aa" -> "ab"),
      "sv" -> ("a\u030A" -> "z"),
      "UNICODE" -> ("เก" -> "เข"),
      "ja" -> ("カー" -> "カイ"),
      "ko" -> ("\u1100\u1161" -> "\u1100\u1102"),
      "UNICODE_CI_RTRIM" -> ("a " -> "a\t"),
      "th" -> ("a-" -> "a!"),
      "UTF8_LCASE" -> ("İ" -> "i\u0307")
    )
    for ((collation, (left, right)) <- undecided) {
      val comparator = SparkOrder.dataOf(collation).primaryComparator
      assert(
        comparator.compare(utf8(left), utf8(right)) === PrimaryWeightComparator.UNDECIDED,
        collation
      )
    }
  }

  test("off-heap strings compare as on-heap strings") {
    val strings = new Strings(Seed)
    val order = SparkOrder("UNICODE_CI")
    for ((left, right) <- Seq.fill(500)(strings.pair())) {
      val address = Platform.allocateMemory(left.numBytes + 1L)
      left.writeToMemory(null, address)
      val offHeap = UTF8String.fromAddress(null, address, left.numBytes)
      try assert(order.compare(offHeap, right) === order.compare(left, right), s"seed $Seed")
      finally Platform.freeMemory(address)
    }
  }

  test("SparkOrder is serialized by name") {
    val bytes = new ByteArrayOutputStream
    val order = SparkOrder("UNICODE_CI")
    assert(order.compare(utf8("a"), utf8("B")) < 0)
    new ObjectOutputStream(bytes).writeObject(order)
    val deserialized =
      new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)).readObject()
    assert(bytes.size < 200)
    assert(deserialized === order)
    assert(deserialized.asInstanceOf[SparkOrder].compare(utf8("a"), utf8("B")) < 0)
  }

  private def utf8(text: String): UTF8String = UTF8String.fromString(text)

  private lazy val pairs = {
    val strings = new Strings(Seed)
    Seq.fill(6000)(strings.pair())
  }

  private def differences(
      collation: String,
      pairs: Seq[(UTF8String, UTF8String)]
  ): Seq[String] = {
    val order = SparkOrder(collation)
    val spark = CollationFactory.fetchCollation(collation).comparator
    for {
      (left, right) <- pairs
      sign = signum(order.compare(left, right)) if sign != signum(spark.compare(left, right))
    } yield s"$collation, seed $Seed: $left, $right"
  }
}
