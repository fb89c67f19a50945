// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.thriftserver

import scala.util.Try
import scala.util.control.NonFatal

import org.apache.spark.SPARK_VERSION

import org.deltacollations.patch.{Hook, HookOutcome, HookedClasses, Patch}
import org.slf4j.LoggerFactory

/**
 * Applies hooks to the classes of Spark's Thrift server, once per JVM. Without a Thrift server on the
 * class path, nothing happens. No failure stops a session.
 */
private[deltacollations] object ThriftServerPatch {

  /** Lists all hooks, and so everything that this library changes in Spark. */
  val hooks: Seq[Hook] = Seq(ResultStrings.hook, ConnectionClassLoader.hook, SharedClassLoader.hook)

  private val log = LoggerFactory.getLogger(getClass)

  private val root = "org.apache.spark.sql.hive.thriftserver"

  private val anchors = Map(root -> s"$root.FetchIterator")

  private var isInstalled = false

  /** Applies the hooks, unless an earlier call has tried to. */
  def install(): Unit = synchronized {
    if (!isInstalled) {
      isInstalled = true
      try find(getClass.getClassLoader).foreach(apply)
      catch {
        case cause @ (NonFatal(_) | _: LinkageError) =>
          log.warn(
            "Spark's Thrift server is unchanged, so it returns collated strings in quotes",
            cause
          )
      }
    }
  }

  /** Returns the Thrift server that classes of `loader` see, if there is one. */
  private[thriftserver] def find(loader: ClassLoader): Option[HookedClasses] =
    Try(Class.forName(anchors(root), false, loader).getClassLoader).toOption
      .map(new HookedClasses(_, anchors, bridgePackage = root))

  private[thriftserver] def apply(classes: HookedClasses): Map[Hook, HookOutcome] = {
    val outcomes = Patch.rewrite(classes, hooks)
    Patch.register(s"Spark $SPARK_VERSION", classes, outcomes)
    outcomes.toMap
  }
}
