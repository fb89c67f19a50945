// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.thriftserver

import org.apache.spark.sql.classic.SparkSession

import org.deltacollations.patch.{Hook, HookKind}

/**
 * Makes the classes of `--jars` and `--packages` visible while the Thrift server opens a connection.
 *
 * Hive gives the thread a class loader that sees only Spark's class path. Then Spark runs `USE` for the
 * database of the connection, which loads the catalog `spark_catalog`, and does not find Delta's class.
 * The hook runs before `USE` and sets the class loader that Spark itself sets for every statement.
 */
private[thriftserver] object ConnectionClassLoader {

  val hook: Hook = Hook(
    name = "connection-class-loader",
    className = "org.apache.spark.sql.hive.thriftserver.SparkSQLSessionManager",
    method = "setConfMap",
    signatures = Seq("(sql.SparkSession, java.util.Map): void"),
    kind = HookKind.OnEntry,
    degradation =
      "the Thrift server rejects connections if Delta's jar is in --jars or --packages " +
        "instead of the class path of the driver",
    replace = call => {
      val session = call.arguments(0).asInstanceOf[SparkSession]
      Thread.currentThread().setContextClassLoader(session.sharedState.jarClassLoader)
    }
  )
}
