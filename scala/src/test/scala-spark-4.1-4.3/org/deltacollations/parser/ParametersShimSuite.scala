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
  private val parser = new CollationsParser(spark)

  private val stacks: Seq[(String, ParserInterface)] = Seq(
    "alone" -> parser,
    "twice" -> new CollationsParser(parser),
    "around Delta's" -> new CollationsParser(new DeltaSqlParser(spark))
  )

  for ((stack, parser) <- stacks) {
    test(s"CollationsParser $stack binds parameters") {
      val named = NamedParameterContext(Map("name" -> Literal("Bob ? :name")))
      val positional = PositionalParameterContext(Seq(Literal("Bob ? :name")))
      val hybrid = HybridParameterContext(Seq(Literal("Bob ? :name")), Seq("name"))
      for (
        (marker, parameters) <-
          Seq(":name" -> named, "?" -> positional, ":name" -> hybrid, "?" -> hybrid)
      )
        assert(
          parser.parsePlanWithParameters(
            s"SELECT x COLLATE icu.UNICODE_CI = $marker",
            parameters
          ) ===
            spark.parsePlan("SELECT x COLLATE UNICODE_CI = 'Bob ? :name'")
        )
    }

    test(s"CollationsParser $stack throws Spark's error for an unbound parameter") {
      val error = intercept[AnalysisException](
        parser.parsePlanWithParameters("SELECT :name", NamedParameterContext(Map.empty))
      )
      assert(error.getCondition === "UNBOUND_SQL_PARAMETER")
      assert(error.getQueryContext.map(_.fragment).toSeq === Seq(":name"))
    }
  }

  test("an error points at the text before the substitution") {
    val error = intercept[ParseException](
      parser.parsePlanWithParameters(
        "SELECT :name, CAST(1 AS KLINGON)",
        NamedParameterContext(Map("name" -> Literal("a long value")))
      )
    )
    assert(error.getQueryContext.map(_.fragment).toSeq === Seq("KLINGON"))
  }

  test("a Delta statement may contain characters that look like a marker") {
    val aroundDelta = new CollationsParser(new DeltaSqlParser(spark))
    val statement = "VACUUM 'file:/somewhere?' RETAIN 200 HOURS"
    assert(
      aroundDelta.parsePlanWithParameters(statement, NamedParameterContext(Map.empty)).toString ===
        aroundDelta.parsePlan(statement).toString
    )
  }

  test("the analyzer binds parameters in Spark's legacy mode") {
    val settings = new SQLConf
    settings.setConf(SQLConf.LEGACY_PARAMETER_SUBSTITUTION_CONSTANTS_ONLY, true)
    val plan = SQLConf.withExistingConf(settings) {
      parser.parsePlanWithParameters(
        "SELECT :name",
        NamedParameterContext(Map("name" -> Literal("Bob")))
      )
    }
    assert(plan.toString.contains("namedparameter(name)"))
  }
}
