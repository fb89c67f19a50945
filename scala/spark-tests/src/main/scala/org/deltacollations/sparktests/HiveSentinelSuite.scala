// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.sparktests

import org.apache.spark.sql.QueryTest
import org.apache.spark.sql.hive.test.TestHiveSingleton

import org.deltacollations.optimizer.correctness.CollationCorrectness

/** Fails unless the session of Spark's Hive suites loads the extension. */
class HiveSentinelSuite extends QueryTest with TestHiveSingleton {

  test("the Hive session runs the rules of the extension") {
    assert(spark.sessionState.planNormalizationRules.contains(CollationCorrectness))
  }
}
