// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.sparktests

import org.apache.spark.sql.Row
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.test.SharedSparkSession

import org.deltacollations.optimizer.correctness.CollationCorrectness

/**
 * Fails unless the sessions of Spark's suites load the extension. Those suites pass without it too,
 * so a run without the setting would look like a success.
 */
class ExtensionSentinelSuite extends SharedSparkSession with ResultComparison {

  test("a shared session resolves a function of the extension") {
    val mappings = sql("SELECT count(*) > 0 FROM collation_for('Latin1_General_CI_AS')")
    checkAnswer(mappings, Row(true))
  }

  test("a shared session and its new sessions run the rules of the extension") {
    Seq(spark, spark.newSession()).foreach { session =>
      assert(session.sessionState.planNormalizationRules.contains(CollationCorrectness))
    }
  }

  test("a wrong result of Spark differs from the result with the extension") {
    withTable("pairs") {
      val column = "STRING COLLATE UTF8_LCASE"
      sql(s"CREATE TABLE pairs (a $column, b $column) USING parquet")
      sql("INSERT INTO pairs VALUES ('a', 'A')")
      // Spark infers hex(b) = '61' (SPARK-57727).
      val query = "SELECT * FROM pairs WHERE a = b AND hex(a) = '61'"
      assert(compare(spark, query).isLeft)
      assert(compare(spark, "SELECT * FROM pairs WHERE a = b").isRight)
    }
  }

  test("plans are validated after each rule") {
    assert(spark.sessionState.conf.getConf(SQLConf.PLAN_CHANGE_VALIDATION))
  }
}
