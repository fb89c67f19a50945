// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.parser

import org.scalatest.funsuite.AnyFunSuite

class CollationNameResolverSuite extends AnyFunSuite {

  for (
    (parts, name) <- Seq(
      Seq("icu", "UNICODE_CI") -> "UNICODE_CI",
      Seq("SPARK", "utf8_lcase") -> "UTF8_LCASE",
      Seq("ICU", "de_DE") -> "de",
      Seq("unicode_ci") -> "unicode_ci",
      Seq("SYSTEM", "builtin", "UNICODE") -> "UNICODE"
    )
  )
    test(s"resolve returns $name for ${parts.mkString(".")}") {
      assert(CollationNameResolver.resolve(parts) === Right(name))
    }

  for (
    (parts, proposals) <- Seq(
      Seq("icu", "UNICODE", "78", "3") -> "icu.UNICODE",
      Seq("icu", "UNICODE", "78") -> "icu.UNICODE",
      Seq("icu", "UNICODE_XX") -> "UNICODE",
      Seq("acme", "UNICODE_CI") -> "UNICODE_CI",
      Seq("SYSTEM", "BUILTIN", "UTF8_LCAS") -> "UTF8_LCASE",
      Seq("system", "other", "UNICODE") -> "UNICODE",
      Seq("UNICODE_C") -> "UNICODE"
    )
  )
    test(s"resolve rejects ${parts.mkString(".")} and proposes $proposals") {
      val expected = Map("collationName" -> parts.mkString("."), "proposals" -> proposals)
      assert(CollationNameResolver.resolve(parts) === Left(expected))
    }
}
