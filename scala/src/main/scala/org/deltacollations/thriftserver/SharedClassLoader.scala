// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.thriftserver

import org.deltacollations.patch.{Hook, HookKind}

/**
 * Keeps the classes of `--jars` and `--packages` loadable after a connection is closed.
 *
 * Spark gives the class loader of these jars to the configuration of a Hive session that runs a statement
 * synchronously, as PyHive does. When the session ends, Hive closes the class loader of its
 * configuration and all parents, because Hive creates one per session. Classes that are not loaded yet
 * are not found from then on, on any connection. The hook runs before that and gives the configuration
 * the class loader of Hive, at which Hive stops.
 *
 * Hive is not on the class path of the build, so its methods are called by reflection.
 */
private[thriftserver] object SharedClassLoader {

  val hook: Hook = Hook(
    name = "shared-class-loader",
    className = "org.apache.spark.sql.hive.thriftserver.SparkSQLSessionManager",
    method = "closeSession",
    signatures = Seq("(org.apache.hive.service.cli.SessionHandle): void"),
    kind = HookKind.OnEntry,
    degradation =
      "statements may fail with NoClassDefFoundError after a connection is closed if Delta's jar is in " +
        "--jars or --packages instead of the class path of the driver",
    replace = call => {
      val handle = call.arguments(0)
      val session =
        call.receiver.getClass.getMethod(
          "getSession",
          handle.getClass
        ).invoke(call.receiver, handle)
      val state = get(session, "getSessionState")
      val configuration = get(state, "getConf")
      configuration.getClass.getMethod("setClassLoader", classOf[ClassLoader])
        .invoke(configuration, state.getClass.getClassLoader)
    }
  )

  private def get(value: AnyRef, method: String): AnyRef =
    value.getClass.getMethod(method).invoke(value)
}
