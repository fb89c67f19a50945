// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.config

import scala.util.Try

import org.deltacollations.CollationsExtension
import org.deltacollations.errors.CollationsException
import org.scalatest.funsuite.AnyFunSuite

class BuildInfoSuite extends AnyFunSuite {

  test("extension is the name of the class users list in spark.sql.extensions") {
    assert(BuildInfo.extension === classOf[CollationsExtension].getName)
  }

  test("every patch release of the Spark minor since the first supported one is accepted") {
    Seq("1", "7-SNAPSHOT", "1-amzn-0", "10").foreach { patch =>
      BuildInfo.requireSupportedSpark(s"${BuildInfo.spark}.$patch")
    }
    BuildInfo.requireSupportedSpark(BuildInfo.firstSpark)
  }

  test("Spark 4.0.0 is not supported, because PySpark 4.0.0 drops rows with a collated column") {
    def isSupported(version: String) = Try(BuildInfo.requireSupportedSpark(version)).isSuccess
    assert(!isSupported("4.0.0"))
    assert(isSupported("4.0.1") === (BuildInfo.spark == "4.0"))
  }

  test("a jar for another Spark minor version fails and says which jar to use") {
    val error = intercept[CollationsException](BuildInfo.requireSupportedSpark("3.5.1"))
    assert(error.getCondition === "COLLATIONS_UNSUPPORTED_SPARK_VERSION")
    assert(error.getSqlState === "56038")
    val built = if (BuildInfo.spark == "4.0") "4.0 (since 4.0.1)" else BuildInfo.spark
    assert(
      error.getMessage.contains(s"built for Spark $built, but the current version is Spark 3.5.1")
    )
  }
}
