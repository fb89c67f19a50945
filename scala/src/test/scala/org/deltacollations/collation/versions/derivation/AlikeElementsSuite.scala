// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions.derivation

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

class AlikeElementsSuite extends AnyFunSuite {

  private def element(primary: Int, secondary: Int = 5, tertiary: Int = 5): Long =
    primary.toLong << 32 | secondary.toLong << 16 | tertiary

  /** Returns the elements of the first version that keep their order in the second. */
  private def rising(pairs: (Long, Long)*): Set[Long] = {
    val elements = new AlikeElements
    pairs.foreach { case (before, after) => elements.add(Array(before), Array(after), 1) }
    elements.rising().asScala.keySet.map(_.longValue).toSet
  }

  test("elements with other weights in the same order are kept") {
    val (a, b, c) = (element(1), element(2), element(3))
    assert(rising(a -> element(4), b -> element(9), c -> element(70)) === Set(a, b, c))
  }

  test("an element that moved past others is dropped, and the others are kept") {
    val (a, b, c) = (element(1), element(2), element(3))
    assert(rising(a -> element(9), b -> element(4), c -> element(7)) === Set(b, c))
  }

  test("an element is dropped if a primary difference became a secondary one in the same order") {
    val (quote, curly, a) = (element(1), element(2), element(3))
    val after = Seq(quote -> element(4), curly -> element(4, secondary = 6), a -> element(7))
    assert(rising(after: _*).size === 2)
    assert(rising(after: _*).contains(a))
  }

  test("secondary weights are compared within a primary weight, tertiary within a secondary") {
    val (a, accented) = (element(1), element(1, secondary = 9))
    val (b, upper) = (element(2), element(2, tertiary = 9))
    val pairs = Seq(
      a -> element(1),
      accented -> element(1, secondary = 6),
      b -> element(2),
      upper -> element(2, tertiary = 6)
    )
    assert(rising(pairs: _*).size === 4)
  }

  test("only one of two counterparts of an element is kept") {
    val (a, b) = (element(1), element(2))
    val elements = new AlikeElements
    elements.add(Array(a, a, b), Array(element(1), element(1), element(3)), 1)
    elements.add(Array(a), Array(element(2)), 1)
    assert(elements.rising().asScala.get(a).map(_.longValue) === Some(element(1)))
  }
}
