// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.patch

import org.apache.spark.sql.delta.DeltaLog

import org.deltacollations.config.BuildInfo
import org.deltacollations.errors.{CollationsErrors, CollationsException}
import org.deltacollations.patch.HookOutcome.{Applied, Missing}
import org.deltacollations.patch.HookedClasses.Replacement
import org.deltacollations.patch.{Hook, HookOutcome, HookedClasses, Patch}

/**
 * Applies hooks to Delta's classes, once per JVM.
 *
 * A session does not start if a required hook cannot be applied. Any other hook that cannot be applied
 * is logged once, and Delta's method stays unchanged.
 */
private[deltacollations] object DeltaPatch {

  @volatile private var installed: Option[Map[Hook, HookOutcome]] = None

  /**
   * Applies the hooks, unless an earlier call has applied them.
   *
   * @param hooks
   *   passed by name because hooks link against Delta: if Delta is missing, the search for it must fail
   *   before the first hook is initialized
   * @throws CollationsException
   *   if Delta is missing or a required hook cannot be applied
   */
  def install(hooks: => Seq[Hook]): Unit = synchronized {
    if (installed.isEmpty) installed = Some(apply(DeltaClasses.find(), hooks))
  }

  private[delta] def status: Map[Hook, HookOutcome] = installed.getOrElse(Map.empty)

  private[delta] def isApplied(hook: Hook): Boolean =
    status.get(hook).exists(_.isInstanceOf[Applied])

  private[delta] def apply(delta: HookedClasses, hooks: Seq[Hook]): Map[Hook, HookOutcome] = {
    val outcomes = Patch.rewrite(delta, hooks)
    for ((hook, Missing(reason, cause)) <- outcomes if hook.required)
      throw failed(hook, reason, cause)
    Patch.register(s"Delta ${io.delta.VERSION}", delta, outcomes)
    for ((hook, Applied(_)) <- outcomes if !hook.verify())
      throw failed(hook, "the changed method has no effect", None)
    // Tables that are already open keep values that the unchanged classes computed.
    if (outcomes.exists(_._2 == Applied(Replacement.AfterLoading))) DeltaLog.clearCache()
    outcomes.toMap
  }

  private def failed(hook: Hook, reason: String, cause: Option[Throwable]): CollationsException =
    CollationsErrors.deltaPatchFailed(
      Map(
        "delta" -> io.delta.VERSION,
        "class" -> hook.className,
        "method" -> hook.method,
        "reason" -> reason,
        "supported" -> BuildInfo.delta,
        "extension" -> BuildInfo.extension
      ),
      cause
    )
}
