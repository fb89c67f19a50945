// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.parser

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkSqlParser

import org.scalatest.funsuite.AnyFunSuite

class ResolveCollationNamesSuite extends AnyFunSuite {

  private def plan(expression: String): LogicalPlan =
    new SparkSqlParser().parsePlan(s"SELECT $expression FROM t")

  for (
    (expression, expected) <- Seq(
      "collate(x, 'icu.UNICODE_CI')" -> "collate(x, 'UNICODE_CI')",
      "upper(COLLATE(x, 'ICU.de_DE'))" -> "upper(COLLATE(x, 'de'))",
      "collate(x, '`icu`.`UNICODE`')" -> "collate(x, 'UNICODE')",
      "x COLLATE icu.UNICODE_CI" -> "x COLLATE UNICODE_CI",
      "x COLLATE IDENTIFIER('icu.UNICODE_CI')" -> "x COLLATE UNICODE_CI",
      "x COLLATE SYSTEM.BUILTIN.UNICODE" -> "x COLLATE UNICODE"
      // Spark supports IDENTIFIER here since 4.1.
    ) if !expression.contains("IDENTIFIER") || !SPARK_VERSION.startsWith("4.0")
  )
    test(s"the rule rewrites $expression to $expected and is idempotent") {
      val once = ResolveCollationNames(plan(expression))
      assert(once === plan(expected))
      assert(ResolveCollationNames(once) === once)
    }

  for (
    expression <- Seq(
      "x COLLATE unicode_ci",
      "collate(x, 'unicode_ci')",
      "collate(x, y)",
      "collate(x, NULL)",
      "collate(x)",
      "collate(x, 1)",
      "other(x, 'icu.UNICODE')",
      "mine.collate(x, 'icu.UNICODE')"
    )
  )
    test(s"the rule leaves $expression unchanged") {
      assert(ResolveCollationNames(plan(expression)) === plan(expression))
    }

  for (
    (expression, name) <- Seq(
      "x COLLATE KLINGON" -> "KLINGON",
      "collate(x, 'icu.KLINGON')" -> "icu.KLINGON",
      "collate(x, 'icu.UNICODE.78.3')" -> "icu.UNICODE.78.3"
    )
  )
    test(s"the rule rejects $expression") {
      val error = intercept[AnalysisException](ResolveCollationNames(plan(expression)))
      assert(error.getCondition === "COLLATION_INVALID_NAME")
      assert(error.getMessageParameters.get("collationName") === name)
      assert(error.line === Some(1))
    }
}
