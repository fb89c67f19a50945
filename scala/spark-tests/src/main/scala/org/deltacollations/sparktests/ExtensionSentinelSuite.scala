// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.sparktests

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.test.SharedSparkSession
import org.apache.spark.sql.{QueryTest, Row}

import org.deltacollations.catalyst.shield.Shield

/**
 * Fails unless the sessions of Spark's suites have the extension. Those suites pass without it, so a
 * run that lost the setting would look like success.
 */
class ExtensionSentinelSuite extends QueryTest with SharedSparkSession {

  test("a shared session resolves a function of the extension") {
    val nearest = sql("SELECT count(*) > 0 FROM collation_for('Latin1_General_CI_AS')")
    checkAnswer(nearest, Row(true))
  }

  test("a shared session and its new sessions run the rules of the extension") {
    Seq(spark, spark.newSession()).foreach { session =>
      assert(session.sessionState.planNormalizationRules.contains(Shield))
    }
  }

  test("plans are validated after each rule") {
    assert(spark.sessionState.conf.getConf(SQLConf.PLAN_CHANGE_VALIDATION))
  }
}
