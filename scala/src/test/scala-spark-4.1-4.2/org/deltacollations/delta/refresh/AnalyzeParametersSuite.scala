// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.refresh

import org.apache.spark.sql.catalyst.analysis.{PlanWithUnresolvedIdentifier, UnresolvedTable}
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.parser.NamedParameterContext
import org.apache.spark.sql.execution.SparkSqlParser

import org.deltacollations.parser.CollationsParser
import org.scalatest.funsuite.AnyFunSuite

class AnalyzeParametersSuite extends AnyFunSuite {

  test("the statement keeps its parameters") {
    val parser = new CollationsParser(new SparkSqlParser, AnalyzeStatement.parse)
    val plan = parser.parsePlanWithParameters(
      "ANALYZE TABLE IDENTIFIER(:table) COMPUTE DELTA STATISTICS",
      NamedParameterContext(Map("table" -> Literal("t")))
    )
    val named = plan.collectFirst {
      case table: UnresolvedTable => table.multipartIdentifier
      case later: PlanWithUnresolvedIdentifier => Seq(later.identifierExpr.eval().toString)
    }
    assert(named === Some(Seq("t")))
  }
}
