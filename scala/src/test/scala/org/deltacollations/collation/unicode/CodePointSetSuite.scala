// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.unicode

import org.scalatest.funsuite.AnyFunSuite

class CodePointSetSuite extends AnyFunSuite {

  private def set(formatted: String): CodePointSet = CodePointSet.parse(formatted).get

  test("of merges adjacent and overlapping ranges") {
    assert(CodePointSet.of(Seq(0x61 -> 0x62, 0x41 -> 0x5a, 0x63 -> 0x63, 0x50 -> 0x5b)).toString ===
      "41-5b 61-63")
  }

  test("parse reads the output of toString") {
    for (formatted <- Seq("", "0", "41-5a c0 1f600-1f64f", "10ffff"))
      assert(set(formatted).toString === formatted)
  }

  test("parse rejects invalid input") {
    for (
      invalid <- Seq("-", "41-", "5a-41", "xyz", "110000", "41,42", "41-5a-60", "٣", "ffffffffff")
    )
      assert(CodePointSet.parse(invalid) === None, invalid)
  }

  test("containsAnyOf compares code points, not UTF-16 code units") {
    assert(set("1f600").containsAnyOf("a😀"))
    assert(!set("d83d").containsAnyOf("a😀"))
    assert(!set("41-5a").containsAnyOf(""))
  }

  test("intersects is true if two sets have a code point in common") {
    assert(set("41-5a c0").intersects(set("5a-60")))
    assert(!set("41-5a c0").intersects(set("5b-bf c1")))
    assert(!set("").intersects(set("0-10ffff")))
  }
}
