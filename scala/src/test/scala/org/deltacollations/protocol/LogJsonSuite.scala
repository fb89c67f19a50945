// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import org.scalatest.funsuite.AnyFunSuite

class LogJsonSuite extends AnyFunSuite {

  test("printable returns short strings of visible characters unchanged") {
    for (text <- Seq("icu.UNICODE_CI", "日本.é", "\ud83d\ude42.x", ""))
      assert(LogJson.printable(text) === text)
  }

  test("printable escapes line breaks and other invisible characters") {
    assert(LogJson.printable("icu.x\nWARN all is well") === "icu.x\\u000aWARN all is well")
    assert(LogJson.printable("\u001b[2J\u202ex\ud800") === "\\u001b[2J\\u202ex\\ud800")
  }

  test("printable truncates long strings") {
    assert(LogJson.printable("x" * 1000000) === "x" * 100 + "…")
  }
}
