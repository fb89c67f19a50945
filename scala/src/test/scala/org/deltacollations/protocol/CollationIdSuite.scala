// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import org.scalatest.funsuite.AnyFunSuite

class CollationIdSuite extends AnyFunSuite {

  test("parse splits an identifier only at its first two dots") {
    assert(CollationId.parse("icu.UNICODE_CI") === Some(CollationId("icu", "UNICODE_CI")))
    assert(
      CollationId.parse("icu.UNICODE.78.3") === Some(CollationId("icu", "UNICODE", Some("78.3")))
    )
  }

  test("toString returns the parsed identifier byte for byte") {
    for (text <- Seq("icu.UNICODE_CI", "ICU.en_US.72", "acme.X.1.0.0"))
      assert(CollationId.parse(text).map(_.toString) === Some(text))
  }

  test("unversioned removes the version") {
    assert(CollationId("icu", "UNICODE", Some("78.3")).unversioned.toString === "icu.UNICODE")
  }

  for (text <- Seq("", "UNICODE", ".UNICODE", "icu.", "icu..78.3", "icu.UNICODE.", "."))
    test(s"parse rejects '$text'") {
      assert(CollationId.parse(text) === None)
    }
}
