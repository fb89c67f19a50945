// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.parser

import org.scalatest.funsuite.AnyFunSuite

class CollationNameResolverSuite extends AnyFunSuite {

  for (
    (asked, name) <- Seq(
      Seq("icu", "UNICODE_CI") -> "UNICODE_CI",
      Seq("SPARK", "utf8_lcase") -> "UTF8_LCASE",
      Seq("ICU", "de_DE") -> "de",
      Seq("unicode_ci") -> "unicode_ci",
      Seq("SYSTEM", "builtin", "UNICODE") -> "UNICODE"
    )
  )
    test(s"${asked.mkString(".")} is given to Spark as $name") {
      assert(CollationNameResolver.named(asked) === Right(name))
    }

  for (
    (asked, proposals) <- Seq(
      Seq("icu", "UNICODE", "78", "3") -> "icu.UNICODE",
      Seq("icu", "UNICODE", "78") -> "icu.UNICODE",
      Seq("icu", "UNICODE_XX") -> "UNICODE",
      Seq("acme", "UNICODE_CI") -> "UNICODE_CI",
      Seq("SYSTEM", "BUILTIN", "UTF8_LCAS") -> "UTF8_LCASE",
      Seq("system", "other", "UNICODE") -> "UNICODE",
      Seq("UNICODE_C") -> "UNICODE"
    )
  )
    test(s"${asked.mkString(".")} is refused in full, and $proposals is proposed") {
      val expected = Map("collationName" -> asked.mkString("."), "proposals" -> proposals)
      assert(CollationNameResolver.named(asked) === Left(expected))
    }
}
