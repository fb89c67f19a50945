// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta

import java.util.concurrent.ConcurrentHashMap
import java.util.function.{Function => JavaFunction}

import scala.util.control.NonFatal
import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.delta.DeltaLog

import org.deltacollations.Platform
import org.deltacollations.delta.DeltaClasses.Replacement
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

  private lazy val outcomes: Map[Hook, Outcome] = apply(DeltaClasses.find(), DeltaHooks.all)

  /** @throws CollationsException when Delta is missing or does not take a required hook */
  def install(): Unit = synchronized(outcomes): Unit

  private[delta] def status: Map[Hook, Outcome] = outcomes

  private[delta] def isApplied(hook: Hook): Boolean =
    status.get(hook).exists(_.isInstanceOf[Applied])

  private[delta] def apply(delta: DeltaClasses, hooks: Seq[Hook]): Map[Hook, Outcome] = {
    val bridge = delta.bridge()
    hooks.foreach(hook => bridge.put(hook.name, guarded(hook)))
    val placed = hooks.map(hook => placeOf(delta, hook) -> hook)
    val outcomes = placed.map(_._1).distinct.flatMap { name =>
      patchClass(delta, name, placed.collect { case (`name`, hook) => hook })
    }.toMap
    outcomes.foreach {
      case (hook, Missing(reason, cause)) if hook.required => throw failed(hook, reason, cause)
      case (hook, Missing(reason, _)) =>
        log.warn(s"With Delta ${io.delta.VERSION}, ${hook.withoutIt}: $reason")
      case (hook, Applied(when)) => log.info(s"Hook ${hook.name} applied: $when")
    }
    if (!FeatureGate.isOpen)
      throw failed(FeatureGate.hook, "it was changed, yet Delta does not use the change", None)
    // Tables that were opened before keep what they computed from the unchanged classes.
    if (outcomes.values.exists(_ == Applied(Replacement.AfterLoading))) DeltaLog.clearCache()
    outcomes
  }

  private def placeOf(delta: DeltaClasses, hook: Hook): String =
    hook.olderClassName.filter(_ => delta.bytes(hook.className).isEmpty).getOrElse(hook.className)

  private def patchClass(
      delta: DeltaClasses,
      className: String,
      hooks: Seq[Hook]
  ): Map[Hook, Outcome] =
    delta.bytes(className) match {
      case None => hooks.map(_ -> Missing(s"it has no class $className")).toMap
      case Some(bytes) =>
        val rewritten = ClassRewriter.rewrite(bytes, hooks)
        // A linkage error here is a class the JVM rejects, which is a missing hook and no crash.
        val replaced =
          try Success(delta.replace(className, rewritten.bytes))
          catch { case problem @ (NonFatal(_) | _: LinkageError) => Failure(problem) }
        hooks.map(hook => hook -> outcome(hook, rewritten.applied(hook), replaced)).toMap
    }

  private def outcome(hook: Hook, found: Boolean, replaced: Try[Replacement]): Outcome =
    if (!found) Missing(s"${hook.className} has no method ${hook.method}")
    else
      replaced match {
        case Success(when) => Applied(when)
        case Failure(problem) => Missing(problem.toString, Some(problem))
      }

  /**
   * A hook never fails a query by accident: where it throws, Delta goes on with its own value. Only
   * an error of ours is an answer, since it tells the user what to do.
   */
  private[delta] def guarded(hook: Hook): JavaFunction[Array[AnyRef], AnyRef] = call =>
    try hook.answer(HookCall(call(0), call(1), call.toIndexedSeq.drop(2)))
    catch {
      case refusal: CollationsException => throw refusal
      case problem @ (NonFatal(_) | _: LinkageError) =>
        if (reported.add(hook.name))
          log.warn(s"${hook.withoutIt}: hook ${hook.name} failed", problem)
        call(0)
    }

  private val reported = ConcurrentHashMap.newKeySet[String]()

  private def failed(hook: Hook, reason: String, cause: Option[Throwable]): CollationsException =
    CollationsErrors.hookFailed(
      Map(
        "delta" -> io.delta.VERSION,
        "class" -> hook.className,
        "method" -> hook.method,
        "reason" -> reason,
        "supported" -> Platform.delta,
        "extension" -> Platform.extension
      ),
      cause
    )
}
