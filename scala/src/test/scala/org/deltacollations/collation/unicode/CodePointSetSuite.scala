// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.unicode

import org.scalatest.funsuite.AnyFunSuite

class CodePointSetSuite extends AnyFunSuite {

  private def set(text: String): CodePointSet = CodePointSet.parse(text).get

  test("ranges that touch or overlap become one") {
    assert(CodePointSet.of(Seq(0x61 -> 0x62, 0x41 -> 0x5a, 0x63 -> 0x63, 0x50 -> 0x5b)).toString ===
      "41-5b 61-63")
  }

  test("a set is read as it was written") {
    for (text <- Seq("", "0", "41-5a c0 1f600-1f64f", "10ffff"))
      assert(set(text).toString === text)
  }

  test("what is no set of characters is none") {
    for (text <- Seq("-", "41-", "5a-41", "xyz", "110000", "41,42", "41-5a-60", "٣", "ffffffffff"))
      assert(CodePointSet.parse(text) === None, text)
  }

  test("a text is in a set if one of its characters is, also beyond 16 bits") {
    assert(set("1f600").holdsAnyOf("a😀"))
    assert(!set("d83d").holdsAnyOf("a😀"))
    assert(!set("41-5a").holdsAnyOf(""))
  }

  test("two sets meet where they have a character in common") {
    assert(set("41-5a c0").intersects(set("5a-60")))
    assert(!set("41-5a c0").intersects(set("5b-bf c1")))
    assert(!set("").intersects(set("0-10ffff")))
  }
}
