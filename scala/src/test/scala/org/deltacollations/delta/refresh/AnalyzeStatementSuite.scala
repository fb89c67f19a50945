// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.refresh

import io.delta.sql.parser.DeltaSqlParser
import org.apache.spark.sql.catalyst.analysis.{PlanWithUnresolvedIdentifier, UnresolvedTable}
import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}
import org.apache.spark.sql.execution.SparkSqlParser

import org.deltacollations.parser.CollationsParser
import org.scalatest.funsuite.AnyFunSuite

class AnalyzeStatementSuite extends AnyFunSuite {

  private val spark = new SparkSqlParser

  private def collationsParser(delegate: ParserInterface): ParserInterface =
    new CollationsParser(delegate, AnalyzeStatement.parse)

  private val stacks: Seq[(String, ParserInterface)] = Seq(
    "alone" -> collationsParser(spark),
    "around Delta's" -> collationsParser(new DeltaSqlParser(spark)),
    "inside Delta's" -> new DeltaSqlParser(collationsParser(spark))
  )

  for {
    (stack, parser) <- stacks
    (what, text, name) <- Seq(
      ("a name", "ANALYZE TABLE t COMPUTE DELTA STATISTICS", Seq("t")),
      (
        "a multipart name",
        "ANALYZE TABLE cat.db.t COMPUTE DELTA STATISTICS",
        Seq("cat", "db", "t")
      ),
      (
        "a path",
        "ANALYZE TABLE delta.`/a b/ünïcödé 😀` COMPUTE DELTA STATISTICS",
        Seq("delta", "/a b/ünïcödé 😀")
      ),
      (
        "lowercase keywords and a semicolon",
        "analyze table T compute delta statistics ;",
        Seq("T")
      ),
      (
        "comments and line breaks",
        "/* DELTA */ ANALYZE -- COMPUTE\nTABLE\tt\n COMPUTE /* all */ DELTA\n\nSTATISTICS -- now",
        Seq("t")
      ),
      (
        "a name made of keywords",
        "ANALYZE TABLE compute.delta COMPUTE DELTA STATISTICS",
        Seq("compute", "delta")
      )
    )
  } test(s"the statement is parsed, with the parser $stack: $what") {
    assert(
      parser.parsePlan(text) ===
        AnalyzeCommand(UnresolvedTable(name, AnalyzeStatement.Name))
    )
  }

  for ((stack, parser) <- stacks) {
    test(s"the table can be named by IDENTIFIER, with the parser $stack") {
      val plan = parser.parsePlan("ANALYZE TABLE IDENTIFIER('a' || 'b') COMPUTE DELTA STATISTICS")
      assert(plan.children.head.isInstanceOf[PlanWithUnresolvedIdentifier])
    }

    for (
      (text, token) <- Seq(
        "ANALYZE TABLE t\n COMPUTE DELTA STATISTICS NOSCAN" -> "'NOSCAN'",
        "ANALYZE TABLE t\n COMPUTE DELTA STATISTICS for columns x" -> "'for'",
        "ANALYZE TABLE t\n COMPUTE DELTA STATISTICS FOR ALL COLUMNS" -> "'FOR'",
        "ANALYZE TABLE t\n PARTITION (year = 1) COMPUTE DELTA STATISTICS" -> "'PARTITION'"
      )
    )
      test(s"other clauses fail at their position, with the parser $stack: $text") {
        val error = intercept[ParseException](parser.parsePlan(text))
        assert(error.getCondition === "PARSE_SYNTAX_ERROR")
        assert(error.getMessageParameters.get("error") === token)
        assert(error.getMessage.contains("only ANALYZE TABLE … COMPUTE DELTA STATISTICS"))
        assert(error.start.line === Some(2))
      }

    test(s"a missing table name is Spark's syntax error, with the parser $stack") {
      val error = intercept[ParseException] {
        parser.parsePlan("ANALYZE TABLE COMPUTE DELTA STATISTICS")
      }
      assert(error.getCondition === "PARSE_SYNTAX_ERROR")
    }

    for (
      text <- Seq(
        "ANALYZE TABLE t COMPUTE STATISTICS",
        "ANALYZE TABLE delta COMPUTE STATISTICS NOSCAN",
        "ANALYZE TABLE delta.`/a` COMPUTE STATISTICS FOR ALL COLUMNS",
        "ANALYZE TABLE t COMPUTE STATISTICS -- COMPUTE DELTA STATISTICS",
        "ANALYZE TABLES IN delta COMPUTE STATISTICS",
        "SELECT 'ANALYZE TABLE t COMPUTE DELTA STATISTICS'",
        "SELECT analyze FROM delta"
      )
    )
      test(s"other statements are parsed by Spark, with the parser $stack: $text") {
        assert(parser.parsePlan(text) === spark.parsePlan(text))
      }
  }
}
