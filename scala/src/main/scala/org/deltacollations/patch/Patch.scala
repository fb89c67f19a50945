// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.patch

import java.util.concurrent.ConcurrentHashMap
import java.util.function.{Function => JavaFunction}

import scala.annotation.tailrec
import scala.util.control.NonFatal
import scala.util.{Failure, Success, Try}

import org.deltacollations.errors.CollationsException
import org.deltacollations.patch.HookOutcome.{Applied, Missing, NotNeeded}
import org.deltacollations.patch.HookedClasses.Replacement
import org.slf4j.LoggerFactory

/** The outcome of applying a hook. */
sealed private[deltacollations] trait HookOutcome

private[deltacollations] object HookOutcome {
  final case class Applied(when: Replacement) extends HookOutcome
  case object NotNeeded extends HookOutcome
  final case class Missing(reason: String, cause: Option[Throwable] = None) extends HookOutcome

  object Missing {
    def apply(cause: Throwable): Missing = Missing(cause.toString, Some(cause))
  }
}

/** Applies hooks to the classes of a library. */
private[deltacollations] object Patch {

  private val log = LoggerFactory.getLogger(getClass)

  /** Rewrites the methods of the hooks, which behave as before until the hooks are registered. */
  def rewrite(classes: HookedClasses, hooks: Seq[Hook]): Seq[(Hook, HookOutcome)] =
    withoutUnmetRequirements(attempt(classes.bridge) match {
      case Failure(cause) => hooks.map(_ -> Missing(cause))
      case Success(_) => rewriteClasses(classes, hooks)
    })

  /**
   * Registers the hooks that are applied, and logs a warning about each of the others. All methods must
   * be rewritten before, so that no hook is called without the hooks that it requires.
   *
   * @param library
   *   the name and version of the library, for the warning
   */
  def register(
      library: String,
      classes: HookedClasses,
      outcomes: Seq[(Hook, HookOutcome)]
  ): Unit = {
    // Hooks of one feature share a degradation, which is logged once.
    outcomes.collect { case (hook, Missing(reason, _)) => hook.degradation -> reason }
      .groupMap(_._1)(_._2).foreach { case (degradation, reasons) =>
        log.warn(s"With $library, $degradation: ${reasons.distinct.mkString("; ")}")
      }
    for ((hook, Applied(when)) <- outcomes) {
      log.info(s"Hook ${hook.name} applied: $when")
      classes.bridge.put(hook.name, guarded(hook))
    }
  }

  private def rewriteClasses(
      classes: HookedClasses,
      hooks: Seq[Hook]
  ): Seq[(Hook, HookOutcome)] = {
    val (needed, notNeeded) = hooks.partition(_.onlyWith.forall(classes.bytes(_).isDefined))
    val hooksWithClass = needed.map(hook => classNameOf(classes, hook) -> hook)
    notNeeded.map(_ -> NotNeeded) ++ hooksWithClass.map(_._1).distinct.flatMap { name =>
      rewriteClass(classes, name, hooksWithClass.collect { case (`name`, hook) => hook })
    }
  }

  private def classNameOf(classes: HookedClasses, hook: Hook): String =
    hook.olderClassName.filter(_ => classes.bytes(hook.className).isEmpty)
      .getOrElse(hook.className)

  /**
   * Applies all hooks of one class. A hook that does not fit does not affect the other hooks of the
   * class. If the JVM rejects the class, all its hooks are missing.
   */
  private def rewriteClass(
      classes: HookedClasses,
      className: String,
      hooks: Seq[Hook]
  ): Seq[(Hook, HookOutcome)] = attempt(classes.bytes(className)) match {
    case Failure(cause) => hooks.map(_ -> Missing(cause))
    case Success(None) => hooks.map(_ -> Missing(s"it has no class $className"))
    case Success(Some(original)) =>
      val (bytes, missing) = hooks.foldRight((original, Map.empty[Hook, HookOutcome])) {
        case (hook, (bytes, missing)) =>
          attempt(ClassRewriter.rewrite(bytes, hook, classes.bridgeType)) match {
            case Success(Right(rewritten)) => (rewritten, missing)
            case Success(Left(reason)) => (bytes, missing + (hook -> Missing(reason)))
            case Failure(cause) => (bytes, missing + (hook -> Missing(cause)))
          }
      }
      lazy val outcome = attempt(classes.replace(className, bytes)) match {
        case Success(when) => Applied(when)
        case Failure(cause) => Missing(cause)
      }
      hooks.map(hook => hook -> missing.getOrElse(hook, outcome))
  }

  /**
   * Catches linkage errors too, and internal errors: the JVM throws one when it rejects a class, or the
   * redefinition of a class that cannot be linked.
   */
  private def attempt[T](body: => T): Try[T] =
    try Success(body)
    catch { case cause @ (NonFatal(_) | _: LinkageError | _: InternalError) => Failure(cause) }

  /** Marks hooks as missing that require a missing hook, until no such hook is left. */
  @tailrec private def withoutUnmetRequirements(
      outcomes: Seq[(Hook, HookOutcome)]
  ): Seq[(Hook, HookOutcome)] = {
    val applied = outcomes.collect { case (hook, Applied(_)) => hook.name }.toSet
    val checked = outcomes.map { case (hook, outcome) =>
      val unmet = hook.requires -- applied
      if (applied(hook.name) && unmet.nonEmpty)
        hook -> Missing(s"${hook.name} requires ${unmet.mkString(", ")}")
      else hook -> outcome
    }
    if (checked == outcomes) outcomes else withoutUnmetRequirements(checked)
  }

  /**
   * Wraps a hook so that a bug in it does not fail a query: if the hook throws, the library continues
   * with its own value. A [[CollationsException]] is intended and reaches the user.
   */
  private[deltacollations] def guarded(hook: Hook): JavaFunction[Array[AnyRef], AnyRef] = call =>
    try hook.replace(HookCall(call(0), call(1), call.toIndexedSeq.drop(2))).asInstanceOf[AnyRef]
    catch {
      case error: CollationsException => throw error
      case cause @ (NonFatal(_) | _: LinkageError) =>
        if (loggedFailures.add(hook.name))
          log.warn(s"Hook ${hook.name} failed, so ${hook.degradation}", cause)
        call(0)
    }

  private val loggedFailures = ConcurrentHashMap.newKeySet[String]()
}
