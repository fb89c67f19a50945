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

  private def ours(delegate: ParserInterface): ParserInterface =
    new CollationsParser(delegate, AnalyzeStatement.parse)

  private val stacks: Seq[(String, ParserInterface)] = Seq(
    "alone" -> ours(spark),
    "around Delta's" -> ours(new DeltaSqlParser(spark)),
    "inside Delta's" -> new DeltaSqlParser(ours(spark))
  )

  for {
    (stack, parser) <- stacks
    (what, text, name) <- Seq(
      ("a name", "ANALYZE TABLE t COMPUTE DELTA STATISTICS", Seq("t")),
      (
        "a name in parts",
        "ANALYZE TABLE cat.db.t COMPUTE DELTA STATISTICS",
        Seq("cat", "db", "t")
      ),
      (
        "a path",
        "ANALYZE TABLE delta.`/a b/ünïcödé 😀` COMPUTE DELTA STATISTICS",
        Seq("delta", "/a b/ünïcödé 😀")
      ),
      ("small letters and a semicolon", "analyze table T compute delta statistics ;", Seq("T")),
      (
        "comments and lines",
        "/* DELTA */ ANALYZE -- COMPUTE\nTABLE\tt\n COMPUTE /* all */ DELTA\n\nSTATISTICS -- now",
        Seq("t")
      ),
      (
        "a name of its own words",
        "ANALYZE TABLE compute.delta COMPUTE DELTA STATISTICS",
        Seq("compute", "delta")
      )
    )
  } test(s"the statement is known, with our parser $stack: $what") {
    assert(
      parser.parsePlan(text) ===
        AnalyzeCommand(UnresolvedTable(name, AnalyzeStatement.Name))
    )
  }

  for ((stack, parser) <- stacks) {
    test(s"a table may be named by an expression, with our parser $stack") {
      val plan = parser.parsePlan("ANALYZE TABLE IDENTIFIER('a' || 'b') COMPUTE DELTA STATISTICS")
      assert(plan.children.head.isInstanceOf[PlanWithUnresolvedIdentifier])
    }

    for (
      (text, found) <- Seq(
        "ANALYZE TABLE t\n COMPUTE DELTA STATISTICS NOSCAN" -> "'NOSCAN'",
        "ANALYZE TABLE t\n COMPUTE DELTA STATISTICS for columns x" -> "'for'",
        "ANALYZE TABLE t\n COMPUTE DELTA STATISTICS FOR ALL COLUMNS" -> "'FOR'",
        "ANALYZE TABLE t\n PARTITION (year = 1) COMPUTE DELTA STATISTICS" -> "'PARTITION'"
      )
    )
      test(s"anything more is refused where it stands, with our parser $stack: $text") {
        val refused = intercept[ParseException](parser.parsePlan(text))
        assert(refused.getCondition === "PARSE_SYNTAX_ERROR")
        assert(refused.getMessageParameters.get("error") === found)
        assert(refused.getMessage.contains("ANALYZE TABLE … COMPUTE DELTA STATISTICS"))
        assert(refused.start.line === Some(2))
      }

    test(s"a table without a name is Spark's syntax error, with our parser $stack") {
      val refused = intercept[ParseException] {
        parser.parsePlan("ANALYZE TABLE COMPUTE DELTA STATISTICS")
      }
      assert(refused.getCondition === "PARSE_SYNTAX_ERROR")
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
      test(s"other statements are Spark's, with our parser $stack: $text") {
        assert(parser.parsePlan(text) === spark.parsePlan(text))
      }
  }
}
