// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.sql

import org.apache.spark.sql.catalyst.analysis.{PlanWithUnresolvedIdentifier, UnresolvedTable}
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.parser.NamedParameterContext
import org.apache.spark.sql.execution.SparkSqlParser

import org.deltacollations.catalyst.CollationsParser
import org.scalatest.funsuite.AnyFunSuite

class RefreshParametersSuite extends AnyFunSuite {

  test("the statement keeps its parameters") {
    val parser = new CollationsParser(new SparkSqlParser, RefreshStatement.parse)
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
