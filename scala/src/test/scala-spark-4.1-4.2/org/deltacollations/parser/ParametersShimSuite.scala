// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.parser

import io.delta.sql.parser.DeltaSqlParser
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.parser.{
  HybridParameterContext,
  NamedParameterContext,
  ParseException,
  ParserInterface,
  PositionalParameterContext
}
import org.apache.spark.sql.execution.SparkSqlParser
import org.apache.spark.sql.internal.SQLConf

import org.scalatest.funsuite.AnyFunSuite

class ParametersShimSuite extends AnyFunSuite {

  private val spark = new SparkSqlParser
  private val ours = new CollationsParser(spark)

  private val stacks: Seq[(String, ParserInterface)] = Seq(
    "alone" -> ours,
    "twice" -> new CollationsParser(ours),
    "around Delta's" -> new CollationsParser(new DeltaSqlParser(spark))
  )

  for ((stack, parser) <- stacks) {
    test(s"markers get their values, with our parser $stack") {
      val named = NamedParameterContext(Map("name" -> Literal("Bob ? :name")))
      val inOrder = PositionalParameterContext(Seq(Literal("Bob ? :name")))
      val either = HybridParameterContext(Seq(Literal("Bob ? :name")), Seq("name"))
      for (
        (marker, given) <- Seq(":name" -> named, "?" -> inOrder, ":name" -> either, "?" -> either)
      )
        assert(
          parser.parsePlanWithParameters(s"SELECT x COLLATE icu.UNICODE_CI = $marker", given) ===
            spark.parsePlan("SELECT x COLLATE UNICODE_CI = 'Bob ? :name'")
        )
    }

    test(s"a marker without a value is Spark's own error, with our parser $stack") {
      val refused = intercept[AnalysisException](
        parser.parsePlanWithParameters("SELECT :name", NamedParameterContext(Map.empty))
      )
      assert(refused.getCondition === "UNBOUND_SQL_PARAMETER")
      assert(refused.getQueryContext.map(_.fragment).toSeq === Seq(":name"))
    }
  }

  test("an error points at what was written before values were put in") {
    val refused = intercept[ParseException](
      ours.parsePlanWithParameters(
        "SELECT :name, CAST(1 AS KLINGON)",
        NamedParameterContext(Map("name" -> Literal("a long value")))
      )
    )
    assert(refused.getQueryContext.map(_.fragment).toSeq === Seq("KLINGON"))
  }

  test("a statement of Delta's may hold what looks like a marker") {
    val around = new CollationsParser(new DeltaSqlParser(spark))
    val statement = "VACUUM 'file:/somewhere?' RETAIN 200 HOURS"
    assert(
      around.parsePlanWithParameters(statement, NamedParameterContext(Map.empty)).toString ===
        around.parsePlan(statement).toString
    )
  }

  test("in Spark's legacy mode values are left to the analyzer") {
    val settings = new SQLConf
    settings.setConf(SQLConf.LEGACY_PARAMETER_SUBSTITUTION_CONSTANTS_ONLY, true)
    val plan = SQLConf.withExistingConf(settings) {
      ours.parsePlanWithParameters(
        "SELECT :name",
        NamedParameterContext(Map("name" -> Literal("Bob")))
      )
    }
    assert(plan.toString.contains("namedparameter(name)"))
  }
}
