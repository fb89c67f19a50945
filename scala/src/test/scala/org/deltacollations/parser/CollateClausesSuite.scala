// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.parser

import org.apache.spark.sql.catalyst.parser.ParseException

import org.scalatest.funsuite.AnyFunSuite

class CollateClausesSuite extends AnyFunSuite {

  for (
    (where, before, after) <- Seq(
      (
        "a type",
        "c STRING COLLATE icu.UNICODE_CI, d INT",
        "c STRING COLLATE UNICODE_CI    , d INT"
      ),
      ("lower case", "select x collate ICU.unicode_ci", "select x collate UNICODE_CI    "),
      ("an expression", "'a' COLLATE spark.UTF8_LCASE = 'A'", "'a' COLLATE UTF8_LCASE       = 'A'"),
      ("back-quotes", "x COLLATE `icu`.`UNICODE`)", "x COLLATE UNICODE        )"),
      ("double quotes", "x COLLATE \"icu\".\"UNICODE\")", "x COLLATE UNICODE        )"),
      ("a language tag", "x COLLATE ICU.`de-DE`)", "x COLLATE de         )"),
      ("a locale that is a keyword", "x COLLATE icu.is IS NULL", "x COLLATE is     IS NULL"),
      (
        "an identifier that is shorter than Spark's name",
        "x COLLATE ICU.zh_TW)",
        "x COLLATE zh_Hant_TWN)"
      ),
      (
        "spaces and comments around dots",
        "COLLATE icu . /* . */ UNICODE",
        "COLLATE UNICODE".padTo(29, ' ')
      ),
      (
        "a default collation",
        "t DEFAULT COLLATION icu.UNICODE AS",
        "t DEFAULT COLLATION UNICODE     AS"
      ),
      (
        "a fully qualified name",
        "x COLLATE SYSTEM.BUILTIN.UNICODE)",
        "x COLLATE UNICODE               )"
      ),
      (
        "two names after a supplementary character",
        "'😀' COLLATE icu.UNICODE = x COLLATE icu.UNICODE_CI",
        "'😀' COLLATE UNICODE     = x COLLATE UNICODE_CI    "
      )
    )
  )
    test(s"translate replaces an identifier in place, padded with spaces: $where") {
      assert(CollateClauses.translate(before) === after)
    }

  for (
    (what, text) <- Seq(
      "a query without collations" -> "SELECT a.b FROM t",
      "a name without a dot" -> "SELECT t.x COLLATE klingon FROM a.b",
      "a literal" -> "SELECT 'x COLLATE icu.UNICODE', \"COLLATE icu.UNICODE\"",
      "a line comment" -> "SELECT 1 -- COLLATE icu.UNICODE\n",
      "a block comment" -> "SELECT /* COLLATE icu.UNICODE */ 1",
      "a quoted identifier" -> "SELECT `collate icu.UNICODE` FROM t",
      "a column named collate" -> "SELECT collate FROM icu.UNICODE WHERE collate.x = icu.y",
      "a function named collation or collate" ->
        "SELECT collation(icu.x), collate(icu.x, 'icu.UNICODE')",
      "a default value that calls a function" -> "c STRING DEFAULT collation(icu.x)",
      "a column alias named collation" -> "SELECT a.b AS collation FROM icu.UNICODE",
      "a name that ends with a dot" -> "SELECT x COLLATE icu."
    )
  )
    test(s"translate leaves the text unchanged: $what") {
      assert(CollateClauses.translate(text) === text)
    }

  for (
    (text, name) <- Seq(
      "SELECT 1,\n  x COLLATE icu.KLINGON" -> "icu.KLINGON",
      "SELECT 1,\n  x COLLATE acme.UNICODE" -> "acme.UNICODE",
      "SELECT 1,\n  x COLLATE icu.UNICODE.78.3 FROM t" -> "icu.UNICODE.78.3",
      "SELECT 1,\n  x COLLATE `icu`.`UNICODE`.`78.3` FROM t" -> "icu.UNICODE.78.3"
    )
  )
    test(
      s"translate reports the position of the unsupported $name: ${text.linesIterator.toSeq.last.trim}"
    ) {
      val error = intercept[ParseException](CollateClauses.translate(text))
      assert(error.getCondition === "COLLATION_INVALID_NAME")
      assert(error.getMessageParameters.get("collationName") === name)
      assert((error.start.line, error.start.startPosition) === (Some(2), Some(12)))
    }
}
