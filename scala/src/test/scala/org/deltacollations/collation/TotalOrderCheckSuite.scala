// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.sql.catalyst.util.CollationFactory

import org.deltacollations.testutil.Strings
import org.scalatest.funsuite.AnyFunSuite

class TotalOrderCheckSuite extends AnyFunSuite {

  private lazy val (withTrim, withoutTrim) =
    CollationFactory.listCollations().asScala.map(_.getName).toSeq.partition(_.endsWith("_RTRIM"))

  test("isTotalOrderAmong agrees with a check of all pairs and triples") {
    val random = new Random(20260103L)
    for (_ <- 1 to 2000) {
      val signs = Seq.fill(3, 3)(random.between(-1, 2))
      val size = random.between(1, 4)
      val points = 0 until size
      val antisymmetric = points.forall(a => points.forall(b => signs(a)(b) == -signs(b)(a)))
      val transitive = points.forall { a =>
        points.forall(b =>
          points.forall(c => signs(a)(b) > 0 || signs(b)(c) > 0 || signs(a)(c) <= 0)
        )
      }
      val isTotal = TotalOrderCheck.isTotalOrderAmong[Int](points, signs(_)(_))
      assert(isTotal === (antisymmetric && transitive), signs)
    }
  }

  test(
    "collations with a case level, backward accents or ignored punctuation are not total orders"
  ) {
    val withCaseLevel =
      withoutTrim.filter(name => name.endsWith("_AI") && !name.endsWith("_CI_AI"))
    val withBackwardAccents = Seq("fr_CAN", "fr_CAN_CI")
    val ignoringPunctuation = Seq("th", "th_CI")
    assert(withCaseLevel.size > 100)
    assertSame(notTotal, withCaseLevel ++ withBackwardAccents ++ ignoringPunctuation)
  }

  test("random strings find the same collations not to be total orders as the probes") {
    val seeds = SeedsWithCounterexamples ++ (1 to 3)
    val corpus = for (seed <- seeds) yield new Strings(seed).variants(60)
    val found = withoutTrim.filterNot { name =>
      val spark = CollationFactory.fetchCollation(name).comparator
      corpus.forall(TotalOrderCheck.isTotalOrderAmong(_, spark.compare))
    }
    assertSame(found, notTotal)
  }

  test("trimming spaces does not change whether a collation is a total order") {
    assertSame(withTrim.filterNot(SparkOrder(_).isTotalOrder), notTotal.map(_ + "_RTRIM"))
  }

  /** Reports the differences instead of both lists, which are long. */
  private def assertSame(found: Seq[String], expected: Seq[String]) = {
    assert(found.diff(expected) === Nil)
    assert(expected.diff(found) === Nil)
  }

  private def notTotal = withoutTrim.filterNot(SparkOrder(_).isTotalOrder)

  /** One for each of the three causes. The other seeds search for causes that the probes miss. */
  private val SeedsWithCounterexamples = Seq(1127, 114, 100)
}
