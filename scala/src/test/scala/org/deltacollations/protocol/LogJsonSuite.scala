// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import org.scalatest.funsuite.AnyFunSuite

class LogJsonSuite extends AnyFunSuite {

  test("a text is shown as it is, if it is short and stays on its line") {
    for (text <- Seq("icu.UNICODE_CI", "日本.é", "\ud83d\ude42.x", ""))
      assert(LogJson.shown(text) === text)
  }

  test("a text that would break a line or move a cursor is shown in letters") {
    assert(LogJson.shown("icu.x\nWARN all is well") === "icu.x\\u000aWARN all is well")
    assert(LogJson.shown("\u001b[2J\u202ex\ud800") === "\\u001b[2J\\u202ex\\ud800")
  }

  test("a long text is cut") {
    assert(LogJson.shown("x" * 1000000) === "x" * 100 + "…")
  }
}
