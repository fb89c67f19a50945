// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.coercion

import scala.util.control.NonFatal

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.catalyst.expressions.Expression

import org.deltacollations.fallback.PlanFallback
import org.deltacollations.patch.{Hook, HookKind, HookOutcome, HookedClasses, Patch}
import org.slf4j.LoggerFactory

/**
 * Applies a hook to Spark's type coercion, once per JVM. If it cannot be applied, Spark rejects mixed
 * collations as before.
 *
 * The hook is needed because Spark throws the error in the middle of analysis: the rules that resolve
 * columns call the type coercion themselves, so no rule of an extension can run in between.
 */
private[deltacollations] object CoercionPatch {

  private val root = "org.apache.spark.sql.catalyst.analysis"

  val hook: Hook = Hook(
    name = "collation-coercion",
    className = s"$root.CollationTypeCoercion$$",
    method = "apply",
    signatures = Seq("(sql.catalyst.expressions.Expression): sql.catalyst.expressions.Expression"),
    kind = HookKind.ReplaceArgument(0),
    degradation = "strings with and without a collation cannot be compared",
    replace = call => {
      val expression = call.value.asInstanceOf[Expression]
      PlanFallback.orElseExceptUserErrors("CoerceOperands", expression)(CoerceOperands(expression))
    }
  )

  private val log = LoggerFactory.getLogger(getClass)

  private val anchors = Map(root -> s"$root.UnresolvedException")

  private var isInstalled = false

  /** Applies the hook, unless an earlier call has tried to. */
  def install(): Unit = synchronized {
    if (!isInstalled) {
      isInstalled = true
      try {
        val _ = apply(find(getClass.getClassLoader))
      } catch {
        case cause @ (NonFatal(_) | _: LinkageError) =>
          log.warn(s"Spark's type coercion is unchanged, so ${hook.degradation}", cause)
      }
    }
  }

  /** Returns Spark's analyzer that classes of `loader` see. */
  private[coercion] def find(loader: ClassLoader): HookedClasses =
    new HookedClasses(
      Class.forName(anchors(root), false, loader).getClassLoader,
      anchors,
      bridgePackage = root
    )

  private[coercion] def apply(classes: HookedClasses): Map[Hook, HookOutcome] = {
    val outcomes = Patch.rewrite(classes, Seq(hook))
    Patch.register(s"Spark $SPARK_VERSION", classes, outcomes)
    outcomes.toMap
  }
}
