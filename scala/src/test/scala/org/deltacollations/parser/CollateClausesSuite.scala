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
      ("a name that is a keyword", "x COLLATE icu.is IS NULL", "x COLLATE is     IS NULL"),
      ("a longer name of Spark's", "x COLLATE ICU.zh_TW)", "x COLLATE zh_Hant_TWN)"),
      (
        "blanks and comments around dots",
        "COLLATE icu . /* . */ UNICODE",
        "COLLATE UNICODE".padTo(29, ' ')
      ),
      ("an object", "t DEFAULT COLLATION icu.UNICODE AS", "t DEFAULT COLLATION UNICODE     AS"),
      (
        "the name in full",
        "x COLLATE SYSTEM.BUILTIN.UNICODE)",
        "x COLLATE UNICODE               )"
      ),
      (
        "two names after a wide letter",
        "'😀' COLLATE icu.UNICODE = x COLLATE icu.UNICODE_CI",
        "'😀' COLLATE UNICODE     = x COLLATE UNICODE_CI    "
      )
    )
  )
    test(s"an identifier becomes Spark's name and keeps its room: $where") {
      assert(CollateClauses.translate(before) === after)
    }

  for (
    (what, text) <- Seq(
      "no collation" -> "SELECT a.b FROM t",
      "a bare name" -> "SELECT t.x COLLATE klingon FROM a.b",
      "a literal" -> "SELECT 'x COLLATE icu.UNICODE', \"COLLATE icu.UNICODE\"",
      "a comment to the end of the line" -> "SELECT 1 -- COLLATE icu.UNICODE\n",
      "a comment in brackets" -> "SELECT /* COLLATE icu.UNICODE */ 1",
      "a quoted name" -> "SELECT `collate icu.UNICODE` FROM t",
      "a column of that name" -> "SELECT collate FROM icu.UNICODE WHERE collate.x = icu.y",
      "a function of that name" -> "SELECT collation(icu.x), collate(icu.x, 'icu.UNICODE')",
      "a default that is a function" -> "c STRING DEFAULT collation(icu.x)",
      "a collation that is no default" -> "SELECT a.b AS collation FROM icu.UNICODE",
      "a name that ends in its dot" -> "SELECT x COLLATE icu."
    )
  )
    test(s"text is not touched: $what") {
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
    test(s"$name is refused where it stands: ${text.linesIterator.toSeq.last.trim}") {
      val refused = intercept[ParseException](CollateClauses.translate(text))
      assert(refused.getCondition === "COLLATION_INVALID_NAME")
      assert(refused.getMessageParameters.get("collationName") === name)
      assert((refused.start.line, refused.start.startPosition) === (Some(2), Some(12)))
    }
}
