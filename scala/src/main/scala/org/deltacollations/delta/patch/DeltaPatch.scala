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
 * Walks the table of hooks and changes Delta's classes in this JVM, once.
 *
 * A required hook that cannot be applied stops the session. Any other costs one ability, is warned
 * of once, and leaves Delta's own behaviour in its place.
 */
object DeltaPatch {

  /** What became of a hook. */
  sealed private[delta] trait Outcome

  private[delta] object Outcome {
    final case class Applied(when: Replacement) extends Outcome
    final case class Missing(reason: String, cause: Option[Throwable] = None) extends Outcome
  }

  import Outcome._

  private val log = LoggerFactory.getLogger(getClass)

  @volatile private var installed: Option[Map[Hook, Outcome]] = None

  /**
   * Applies the hooks unless an earlier call has applied them.
   *
   * @param hooks
   *   passed by name because a hook links against Delta: where Delta is missing, the search for it
   *   must fail before the first hook is initialized
   * @throws CollationsException
   *   when Delta is missing or does not take a required hook
   */
  private[deltacollations] def install(hooks: => Seq[Hook]): Unit = synchronized {
    if (installed.isEmpty) installed = Some(apply(DeltaClasses.find(), hooks))
  }

  private[delta] def status: Map[Hook, Outcome] = installed.getOrElse(Map.empty)

  private[delta] def isApplied(hook: Hook): Boolean =
    status.get(hook).exists(_.isInstanceOf[Applied])

  private[delta] def apply(delta: DeltaClasses, hooks: Seq[Hook]): Map[Hook, Outcome] = {
    val bridge = attempt(delta.bridge())
    val outcomes = withRequirements(bridge match {
      case Failure(problem) => hooks.map(_ -> Missing(problem.toString, Some(problem)))
      case Success(_) => patched(delta, hooks)
    })
    report(outcomes)
    // Only now, so that a hook is never asked before the ones that it requires are in place.
    for ((hook, Applied(_)) <- outcomes) bridge.get.put(hook.name, guarded(hook))
    for ((hook, Applied(_)) <- outcomes if !hook.verify())
      throw failed(hook, "it was changed, yet Delta does not use the change", None)
    // Tables that were opened before keep what they computed from the unchanged classes.
    if (outcomes.exists(_._2 == Applied(Replacement.AfterLoading))) DeltaLog.clearCache()
    outcomes.toMap
  }

  private def patched(delta: DeltaClasses, hooks: Seq[Hook]): Seq[(Hook, Outcome)] = {
    val placed = hooks.map(hook => placeOf(delta, hook) -> hook)
    placed.map(_._1).distinct.flatMap { name =>
      patchClass(delta, name, placed.collect { case (`name`, hook) => hook })
    }
  }

  private def placeOf(delta: DeltaClasses, hook: Hook): String =
    hook.olderClassName.filter(_ => delta.bytes(hook.className).isEmpty).getOrElse(hook.className)

  /**
   * Changes one class. A hook that does not fit leaves the others of the class alone; a class that
   * the JVM does not take as a whole costs all of them.
   */
  private def patchClass(
      delta: DeltaClasses,
      className: String,
      hooks: Seq[Hook]
  ): Seq[(Hook, Outcome)] = attempt(delta.bytes(className)) match {
    case Failure(problem) => hooks.map(_ -> Missing(problem.toString, Some(problem)))
    case Success(None) => hooks.map(_ -> Missing(s"it has no class $className"))
    case Success(Some(original)) =>
      val (bytes, missing) = hooks.foldRight((original, Map.empty[Hook, Outcome])) {
        case (hook, (before, misfits)) =>
          attempt(ClassRewriter.rewrite(before, hook)) match {
            case Success(Right(changed)) => (changed, misfits)
            case Success(Left(reason)) => (before, misfits + (hook -> Missing(reason)))
            case Failure(problem) =>
              (before, misfits + (hook -> Missing(problem.toString, Some(problem))))
          }
      }
      lazy val whole = attempt(delta.replace(className, bytes)) match {
        case Success(when) => Applied(when)
        case Failure(problem) => Missing(problem.toString, Some(problem))
      }
      hooks.map(hook => hook -> missing.getOrElse(hook, whole))
  }

  /** Tries to go on without what fails. A linkage error is a class that the JVM rejects. */
  private def attempt[T](body: => T): Try[T] =
    try Success(body)
    catch { case problem @ (NonFatal(_) | _: LinkageError) => Failure(problem) }

  /** A hook is missing if one that it requires is missing. */
  @tailrec private def withRequirements(outcomes: Seq[(Hook, Outcome)]): Seq[(Hook, Outcome)] = {
    val applied = outcomes.collect { case (hook, Applied(_)) => hook.name }.toSet
    val checked = outcomes.map { case (hook, outcome) =>
      val lacking = hook.requires -- applied
      if (applied(hook.name) && lacking.nonEmpty)
        hook -> Missing(s"${hook.name} requires ${lacking.mkString(", ")}")
      else hook -> outcome
    }
    if (checked == outcomes) outcomes else withRequirements(checked)
  }

  private def report(outcomes: Seq[(Hook, Outcome)]): Unit = {
    for ((hook, Missing(reason, cause)) <- outcomes if hook.required)
      throw failed(hook, reason, cause)
    // Hooks that are lost together are told of once.
    outcomes.collect { case (hook, Missing(reason, _)) => hook.degradation -> reason }
      .groupMap(_._1)(_._2).foreach { case (lost, reasons) =>
        log.warn(s"With Delta ${io.delta.VERSION}, $lost: ${reasons.distinct.mkString("; ")}")
      }
    for ((hook, Applied(when)) <- outcomes) log.info(s"Hook ${hook.name} applied: $when")
  }

  /**
   * A hook never fails a query by accident: where it throws, Delta goes on with its own value. Only
   * an error of ours is an answer, since it tells the user what to do.
   */
  private[delta] def guarded(hook: Hook): JavaFunction[Array[AnyRef], AnyRef] = call =>
    try hook.replace(HookCall(call(0), call(1), call.toIndexedSeq.drop(2))).asInstanceOf[AnyRef]
    catch {
      case refusal: CollationsException => throw refusal
      case problem @ (NonFatal(_) | _: LinkageError) =>
        if (reported.add(hook.name))
          log.warn(s"${hook.degradation}: hook ${hook.name} failed", problem)
        call(0)
    }

  private val reported = ConcurrentHashMap.newKeySet[String]()

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
