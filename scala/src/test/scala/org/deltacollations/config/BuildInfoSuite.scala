// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.config

import org.deltacollations.CollationsExtension
import org.deltacollations.errors.CollationsException
import org.scalatest.funsuite.AnyFunSuite

class BuildInfoSuite extends AnyFunSuite {

  test("extension is the name of the class users list in spark.sql.extensions") {
    assert(BuildInfo.extension === classOf[CollationsExtension].getName)
  }

  test("every patch release of the Spark minor the jar was built for is accepted") {
    Seq("0", "1", "7-SNAPSHOT").foreach { patch =>
      BuildInfo.requireSupportedSpark(s"${BuildInfo.spark}.$patch")
    }
  }

  test("a jar for another Spark minor version fails and says which jar to use") {
    val error = intercept[CollationsException](BuildInfo.requireSupportedSpark("3.5.1"))
    assert(error.getCondition === "COLLATIONS_UNSUPPORTED_SPARK_VERSION")
    assert(error.getSqlState === "56038")
    assert(
      error.getMessage.contains(
        s"built for Spark ${BuildInfo.spark}, but the current version is Spark 3.5.1"
      )
    )
  }
}
