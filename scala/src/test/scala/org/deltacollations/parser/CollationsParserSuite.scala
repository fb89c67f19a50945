// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.parser

import io.delta.sql.parser.DeltaSqlParser
import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}
import org.apache.spark.sql.execution.SparkSqlParser
import org.apache.spark.sql.internal.SQLConf

import org.scalatest.funsuite.AnyFunSuite

class CollationsParserSuite extends AnyFunSuite {

  private val spark = new SparkSqlParser
  private val ours = new CollationsParser(spark)

  private val stacks: Seq[(String, ParserInterface)] = Seq(
    "alone" -> ours,
    "twice" -> new CollationsParser(ours),
    "around Delta's" -> new CollationsParser(new DeltaSqlParser(spark)),
    "inside Delta's" -> new DeltaSqlParser(ours)
  )

  /** What `parser` makes of `text`, as text. */
  private val ways: Seq[(String, (ParserInterface, String) => Any)] = Seq(
    "a plan" -> ((parser, text) => parser.parsePlan(s"SELECT CAST(x AS $text)")),
    "a query" -> ((parser, text) => parser.parseQuery(s"SELECT CAST(x AS $text)")),
    "an expression" -> ((parser, text) => parser.parseExpression(s"CAST(x AS $text)")),
    "a type" -> ((parser, text) => parser.parseDataType(s"MAP<INT, $text>")),
    "a schema" -> ((parser, text) => parser.parseTableSchema(s"a STRUCT<b: $text>")),
    "parameters of a routine" -> ((parser, text) => parser.parseRoutineParam(s"a $text"))
  )

  for ((stack, parser) <- stacks; (what, parse) <- ways) {
    test(s"an identifier means Spark's collation in $what, with our parser $stack") {
      assert(
        parse(parser, "STRING COLLATE ICU.unicode_ci").toString ===
          parse(spark, "STRING COLLATE UNICODE_CI").toString
      )
    }

    test(s"an unknown name in $what is an error of parsing, with our parser $stack") {
      for (name <- Seq("KLINGON", "icu.KLINGON")) {
        val refused = intercept[ParseException](parse(parser, s"STRING COLLATE $name"))
        assert(refused.getCondition === "COLLATION_INVALID_NAME")
        assert(refused.getMessageParameters.get("collationName") === name)
      }
    }
  }

  test("an identifier may come from a variable") {
    val variable = "spark.test.collation"
    val settings = new SQLConf
    settings.setConfString(variable, "icu.UNICODE_CI")
    val parsed = SQLConf.withExistingConf(settings) {
      ours.parseDataType(s"STRING COLLATE $${$variable}")
    }
    assert(parsed === spark.parseDataType("STRING COLLATE UNICODE_CI"))
  }

  test("what names no collation is parsed as ever") {
    assert(ours.parseTableIdentifier("a.b") === spark.parseTableIdentifier("a.b"))
    assert(ours.parseFunctionIdentifier("a.b") === spark.parseFunctionIdentifier("a.b"))
    assert(ours.parseMultipartIdentifier("a.b.c") === Seq("a", "b", "c"))
    assert(intercept[ParseException](ours.parsePlan("SELEC 1")).getCondition ===
      "PARSE_SYNTAX_ERROR")
  }
}
