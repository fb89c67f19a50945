// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.refresh

import org.apache.spark.sql.catalyst.analysis.{PlanWithUnresolvedIdentifier, UnresolvedTable}
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.parser.NamedParameterContext
import org.apache.spark.sql.execution.SparkSqlParser

import org.deltacollations.parser.CollationsParser
import org.scalatest.funsuite.AnyFunSuite

class AnalyzeParametersSuite extends AnyFunSuite {

  test("ANALYZE supports parameter markers") {
    val parser = new CollationsParser(new SparkSqlParser, AnalyzeStatement.parse)
    val plan = parser.parsePlanWithParameters(
      "ANALYZE TABLE IDENTIFIER(:table) COMPUTE DELTA STATISTICS",
      NamedParameterContext(Map("table" -> Literal("t")))
    )
    val name = plan.collectFirst {
      case table: UnresolvedTable => table.multipartIdentifier
      case unresolved: PlanWithUnresolvedIdentifier =>
        Seq(unresolved.identifierExpr.eval().toString)
    }
    assert(name === Some(Seq("t")))
  }
}
