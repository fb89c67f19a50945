// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions.derivation

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

class AlikeElementsSuite extends AnyFunSuite {

  private def element(primary: Int, secondary: Int = 5, tertiary: Int = 5): Long =
    primary.toLong << 32 | secondary.toLong << 16 | tertiary

  /** The elements of the first version whose counterparts rise as they do. */
  private def rising(pairs: (Long, Long)*): Set[Long] = {
    val elements = new AlikeElements
    pairs.foreach { case (before, after) => elements.see(Array(before), Array(after), 1) }
    elements.rising().asScala.keySet.map(_.longValue).toSet
  }

  test("other weights in the same order are alike") {
    val (a, b, c) = (element(1), element(2), element(3))
    assert(rising(a -> element(4), b -> element(9), c -> element(70)) === Set(a, b, c))
  }

  test("an element that passed others is left out, and not the others") {
    val (a, b, c) = (element(1), element(2), element(3))
    assert(rising(a -> element(9), b -> element(4), c -> element(7)) === Set(b, c))
  }

  test("a difference of letters that became one of accents is found, though the order stays") {
    val (quote, curly, a) = (element(1), element(2), element(3))
    val after = Seq(quote -> element(4), curly -> element(4, secondary = 6), a -> element(7))
    assert(rising(after: _*).size === 2)
    assert(rising(after: _*).contains(a))
  }

  test("accents are compared only below the same letter, case below the same accent") {
    val (a, accented) = (element(1), element(1, secondary = 9))
    val (b, big) = (element(2), element(2, tertiary = 9))
    val pairs = Seq(
      a -> element(1),
      accented -> element(1, secondary = 6),
      b -> element(2),
      big -> element(2, tertiary = 6)
    )
    assert(rising(pairs: _*).size === 4)
  }

  test("of two counterparts of one element only one is alike") {
    val (a, b) = (element(1), element(2))
    val elements = new AlikeElements
    elements.see(Array(a, a, b), Array(element(1), element(1), element(3)), 1)
    elements.see(Array(a), Array(element(2)), 1)
    assert(elements.rising().asScala.get(a).map(_.longValue) === Some(element(1)))
  }
}
