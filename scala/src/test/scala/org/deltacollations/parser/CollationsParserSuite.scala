// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.parser

import io.delta.sql.parser.DeltaSqlParser
import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}
import org.apache.spark.sql.execution.SparkSqlParser
import org.apache.spark.sql.internal.SQLConf

import org.scalatest.funsuite.AnyFunSuite

class CollationsParserSuite extends AnyFunSuite {

  private val spark = new SparkSqlParser
  private val parser = new CollationsParser(spark)

  private val stacks: Seq[(String, ParserInterface)] = Seq(
    "alone" -> parser,
    "twice" -> new CollationsParser(parser),
    "around Delta's" -> new CollationsParser(new DeltaSqlParser(spark)),
    "inside Delta's" -> new DeltaSqlParser(parser)
  )

  /** The methods of a parser, each called with SQL that contains the given type. */
  private val methods: Seq[(String, (ParserInterface, String) => Any)] = Seq(
    "a plan" -> ((parser, text) => parser.parsePlan(s"SELECT CAST(x AS $text)")),
    "a query" -> ((parser, text) => parser.parseQuery(s"SELECT CAST(x AS $text)")),
    "an expression" -> ((parser, text) => parser.parseExpression(s"CAST(x AS $text)")),
    "a type" -> ((parser, text) => parser.parseDataType(s"MAP<INT, $text>")),
    "a schema" -> ((parser, text) => parser.parseTableSchema(s"a STRUCT<b: $text>")),
    "routine parameters" -> ((parser, text) => parser.parseRoutineParam(s"a $text"))
  )

  for ((stack, parser) <- stacks; (what, parse) <- methods) {
    test(s"CollationsParser $stack resolves an identifier in $what") {
      assert(
        parse(parser, "STRING COLLATE ICU.unicode_ci").toString ===
          parse(spark, "STRING COLLATE UNICODE_CI").toString
      )
    }

    test(s"CollationsParser $stack throws a ParseException for an unknown name in $what") {
      for (name <- Seq("KLINGON", "icu.KLINGON")) {
        val error = intercept[ParseException](parse(parser, s"STRING COLLATE $name"))
        assert(error.getCondition === "COLLATION_INVALID_NAME")
        assert(error.getMessageParameters.get("collationName") === name)
      }
    }
  }

  test("CollationsParser substitutes variables before it resolves identifiers") {
    val variable = "spark.test.collation"
    val settings = new SQLConf
    settings.setConfString(variable, "icu.UNICODE_CI")
    val parsed = SQLConf.withExistingConf(settings) {
      parser.parseDataType(s"STRING COLLATE $${$variable}")
    }
    assert(parsed === spark.parseDataType("STRING COLLATE UNICODE_CI"))
  }

  test("CollationsParser delegates SQL without collations") {
    assert(parser.parseTableIdentifier("a.b") === spark.parseTableIdentifier("a.b"))
    assert(parser.parseFunctionIdentifier("a.b") === spark.parseFunctionIdentifier("a.b"))
    assert(parser.parseMultipartIdentifier("a.b.c") === Seq("a", "b", "c"))
    assert(intercept[ParseException](parser.parsePlan("SELEC 1")).getCondition ===
      "PARSE_SYNTAX_ERROR")
  }
}
