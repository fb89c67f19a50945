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

  private lazy val all = CollationFactory.listCollations().asScala.map(_.getName).toSeq

  private val important =
    """UTF8_BINARY UTF8_BINARY_RTRIM UTF8_LCASE UTF8_LCASE_RTRIM UNICODE UNICODE_CI UNICODE_AI
      |UNICODE_CI_AI UNICODE_RTRIM UNICODE_CI_RTRIM de de_CI_AI sv da da_CI hr cs hu es tr el vi fr_CAN
      |ru th th_CI_RTRIM lo ja ko zh zh_Hant_TWN ar he hi""".stripMargin.split("\\s").toSeq

  for (collation <- important)
    test(s"$collation compares as Spark does") {
      assert(differences(collation, pairs) === Nil)
    }

  test("every collation of Spark compares as Spark does") {
    assert(all.size > 1000)
    assert(all.flatMap(differences(_, pairs.take(200))) === Nil)
  }

  for (
    collation <- Seq("UNICODE_CI", "UNICODE", "UTF8_LCASE", "de_CI_AI", "da", "UNICODE_CI_RTRIM")
  )
    test(s"most words are compared by $collation without the collator") {
      val strings = new Strings(Seed)
      val first = SparkOrder.known(collation).firstDifference
      val undecided = Seq.fill(5000)((strings.asciiWord(), strings.asciiWord())).count {
        case (left, right) => first.compare(left, right) == PrimaryWeightComparator.UNDECIDED
      }
      assert(undecided < 500)
    }

  test("words of other scripts are compared without the collator") {
    val words =
      "müde Äpfel école ñandú война мир λόγος 中文 漢字 かな กขค ลาน 한글 나라 שלום عرب".split(' ')
    val first = SparkOrder.known("UNICODE_CI").firstDifference
    for (left <- words; right <- words if left != right)
      assert(
        first.compare(utf8(left), utf8(right)) != PrimaryWeightComparator.UNDECIDED,
        s"$left, $right"
      )
  }

  test("characters that depend on their neighbours are left to the collator") {
    val joined = Seq(
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
    for ((collation, (left, right)) <- joined) {
      val first = SparkOrder.known(collation).firstDifference
      assert(
        first.compare(utf8(left), utf8(right)) === PrimaryWeightComparator.UNDECIDED,
        collation
      )
    }
  }

  test("strings outside the heap compare as those inside") {
    val strings = new Strings(Seed)
    val order = SparkOrder("UNICODE_CI")
    for ((left, right) <- Seq.fill(500)(strings.pair())) {
      val address = Platform.allocateMemory(left.numBytes + 1L)
      left.writeToMemory(null, address)
      val outside = UTF8String.fromAddress(null, address, left.numBytes)
      try assert(order.compare(outside, right) === order.compare(left, right), s"seed $Seed")
      finally Platform.freeMemory(address)
    }
  }

  test("an order travels as a name") {
    val bytes = new ByteArrayOutputStream
    val order = SparkOrder("UNICODE_CI")
    assert(order.compare(utf8("a"), utf8("B")) < 0)
    new ObjectOutputStream(bytes).writeObject(order)
    val arrived = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)).readObject()
    assert(bytes.size < 200)
    assert(arrived === order)
    assert(arrived.asInstanceOf[SparkOrder].compare(utf8("a"), utf8("B")) < 0)
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
      ours = signum(order.compare(left, right)) if ours != signum(spark.compare(left, right))
    } yield s"$collation, seed $Seed: $left, $right"
  }
}
