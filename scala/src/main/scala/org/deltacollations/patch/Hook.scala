// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.patch

/**
 * Describes one change to one method of Delta or Spark: the method calls back into this library. A hook
 * is data, so [[Patch]] can apply and report all hooks the same way, and tests can compare them with the
 * jars.
 *
 * @param signatures
 *   the parameter and return types of the method in the notation of [[Signature]]. A method of the
 *   same name with other types is never changed. There are several signatures where releases
 *   differ, or where overloads do not call each other.
 * @param degradation
 *   what a user loses if the hook cannot be applied, as a clause for log messages
 * @param required
 *   whether a session must not start without the hook
 * @param requires
 *   the names of the hooks without which this one does harm or has no effect. If one of them is
 *   missing, this hook is not applied either.
 * @param olderClassName
 *   the class that has the method in older releases, which do not have `className`
 * @param onlyWith
 *   classes of an optional part of the library. Without one of them, the hook is not needed.
 * @param replace
 *   computes the value that the method uses instead of its own; the result is ignored for
 *   [[HookKind.OnEntry]]. The static type of the result must not be a class that a hook changes: the
 *   JVM would load that class when it creates the function, which is too early.
 * @param verify
 *   returns whether the hook takes effect. It is called after all hooks are applied, and the session
 *   does not start if it returns false.
 */
final private[deltacollations] case class Hook(
    name: String,
    className: String,
    method: String,
    signatures: Seq[String],
    kind: HookKind,
    degradation: String,
    required: Boolean = false,
    requires: Set[String] = Set.empty,
    olderClassName: Option[String] = None,
    onlyWith: Seq[String] = Nil,
    replace: HookCall => Any,
    verify: () => Boolean = () => true
)

/** How a hook changes its method. No kind adds a local variable or a branch. */
sealed private[deltacollations] trait HookKind

private[deltacollations] object HookKind {

  /** Calls the hook before the method starts, and ignores its result. */
  case object OnEntry extends HookKind

  /** Replaces an argument, counted from 0, before the method starts. */
  final case class ReplaceArgument(index: Int) extends HookKind

  /** Replaces the value that the method returns. */
  case object ReplaceResult extends HookKind
}

/**
 * One call of a rewritten method.
 *
 * @param value
 *   the value to replace, or null for [[HookKind.OnEntry]]
 * @param receiver
 *   the object whose method is called, or null if the method is static
 */
final private[deltacollations] case class HookCall(
    value: AnyRef,
    receiver: AnyRef,
    arguments: IndexedSeq[AnyRef]
)
