// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.patch

import java.util.concurrent.ConcurrentHashMap
import java.util.function.{Function => JavaFunction}

import scala.annotation.tailrec
import scala.util.control.NonFatal
import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.delta.DeltaLog

import org.deltacollations.config.BuildInfo
import org.deltacollations.delta.patch.DeltaClasses.Replacement
import org.deltacollations.errors.{CollationsErrors, CollationsException}
import org.slf4j.LoggerFactory

/**
 * Applies hooks to Delta's classes, once per JVM.
 *
 * A session does not start if a required hook cannot be applied. Any other hook that cannot be applied
 * is logged once, and Delta's method stays unchanged.
 */
private[deltacollations] object DeltaPatch {

  /** The outcome of applying a hook. */
  sealed private[delta] trait Outcome

  private[delta] object Outcome {
    final case class Applied(when: Replacement) extends Outcome
    final case class Missing(reason: String, cause: Option[Throwable] = None) extends Outcome

    object Missing {
      def apply(cause: Throwable): Missing = Missing(cause.toString, Some(cause))
    }
  }

  import Outcome._

  private val log = LoggerFactory.getLogger(getClass)

  @volatile private var installed: Option[Map[Hook, Outcome]] = None

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

  private[delta] def status: Map[Hook, Outcome] = installed.getOrElse(Map.empty)

  private[delta] def isApplied(hook: Hook): Boolean =
    status.get(hook).exists(_.isInstanceOf[Applied])

  private[delta] def apply(delta: DeltaClasses, hooks: Seq[Hook]): Map[Hook, Outcome] = {
    val bridge = attempt(delta.bridge())
    val outcomes = withoutUnmetRequirements(bridge match {
      case Failure(cause) => hooks.map(_ -> Missing(cause))
      case Success(_) => patchClasses(delta, hooks)
    })
    report(outcomes)
    // Hooks are registered last, so that none is called before the hooks that it requires are applied.
    for ((hook, Applied(_)) <- outcomes) bridge.get.put(hook.name, guarded(hook))
    for ((hook, Applied(_)) <- outcomes if !hook.verify())
      throw failed(hook, "the changed method has no effect", None)
    // Tables that are already open keep values that the unchanged classes computed.
    if (outcomes.exists(_._2 == Applied(Replacement.AfterLoading))) DeltaLog.clearCache()
    outcomes.toMap
  }

  private def patchClasses(delta: DeltaClasses, hooks: Seq[Hook]): Seq[(Hook, Outcome)] = {
    val hooksWithClass = hooks.map(hook => classNameOf(delta, hook) -> hook)
    hooksWithClass.map(_._1).distinct.flatMap { name =>
      patchClass(delta, name, hooksWithClass.collect { case (`name`, hook) => hook })
    }
  }

  private def classNameOf(delta: DeltaClasses, hook: Hook): String =
    hook.olderClassName.filter(_ => delta.bytes(hook.className).isEmpty).getOrElse(hook.className)

  /**
   * Applies all hooks of one class. A hook that does not fit does not affect the other hooks of the
   * class. If the JVM rejects the class, all its hooks are missing.
   */
  private def patchClass(
      delta: DeltaClasses,
      className: String,
      hooks: Seq[Hook]
  ): Seq[(Hook, Outcome)] = attempt(delta.bytes(className)) match {
    case Failure(cause) => hooks.map(_ -> Missing(cause))
    case Success(None) => hooks.map(_ -> Missing(s"it has no class $className"))
    case Success(Some(original)) =>
      val (bytes, missing) = hooks.foldRight((original, Map.empty[Hook, Outcome])) {
        case (hook, (bytes, missing)) =>
          attempt(ClassRewriter.rewrite(bytes, hook)) match {
            case Success(Right(rewritten)) => (rewritten, missing)
            case Success(Left(reason)) => (bytes, missing + (hook -> Missing(reason)))
            case Failure(cause) => (bytes, missing + (hook -> Missing(cause)))
          }
      }
      lazy val outcome = attempt(delta.replace(className, bytes)) match {
        case Success(when) => Applied(when)
        case Failure(cause) => Missing(cause)
      }
      hooks.map(hook => hook -> missing.getOrElse(hook, outcome))
  }

  /** Catches linkage errors too: the JVM throws one when it rejects a class. */
  private def attempt[T](body: => T): Try[T] =
    try Success(body)
    catch { case cause @ (NonFatal(_) | _: LinkageError) => Failure(cause) }

  /** Marks hooks as missing that require a missing hook, until no such hook is left. */
  @tailrec private def withoutUnmetRequirements(
      outcomes: Seq[(Hook, Outcome)]
  ): Seq[(Hook, Outcome)] = {
    val applied = outcomes.collect { case (hook, Applied(_)) => hook.name }.toSet
    val checked = outcomes.map { case (hook, outcome) =>
      val unmet = hook.requires -- applied
      if (applied(hook.name) && unmet.nonEmpty)
        hook -> Missing(s"${hook.name} requires ${unmet.mkString(", ")}")
      else hook -> outcome
    }
    if (checked == outcomes) outcomes else withoutUnmetRequirements(checked)
  }

  private def report(outcomes: Seq[(Hook, Outcome)]): Unit = {
    for ((hook, Missing(reason, cause)) <- outcomes if hook.required)
      throw failed(hook, reason, cause)
    // Hooks of one feature share a degradation, which is logged once.
    outcomes.collect { case (hook, Missing(reason, _)) => hook.degradation -> reason }
      .groupMap(_._1)(_._2).foreach { case (degradation, reasons) =>
        val reason = reasons.distinct.mkString("; ")
        log.warn(s"With Delta ${io.delta.VERSION}, $degradation: $reason")
      }
    for ((hook, Applied(when)) <- outcomes) log.info(s"Hook ${hook.name} applied: $when")
  }

  /**
   * Wraps a hook so that a bug in it does not fail a query: if the hook throws, Delta continues with
   * its own value. A [[CollationsException]] is intended and reaches the user.
   */
  private[delta] def guarded(hook: Hook): JavaFunction[Array[AnyRef], AnyRef] = call =>
    try hook.replace(HookCall(call(0), call(1), call.toIndexedSeq.drop(2))).asInstanceOf[AnyRef]
    catch {
      case error: CollationsException => throw error
      case cause @ (NonFatal(_) | _: LinkageError) =>
        if (loggedFailures.add(hook.name))
          log.warn(s"Hook ${hook.name} failed, so ${hook.degradation}", cause)
        call(0)
    }

  private val loggedFailures = ConcurrentHashMap.newKeySet[String]()

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
