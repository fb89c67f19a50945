// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.patch

/**
 * One place where Delta, instead of deciding alone, asks us. A hook is data: the patcher walks a
 * table of them, the start-up check reports them, an offline test holds them against Delta's jar.
 *
 * @param signatures
 *   the parameter and return types of the method, as [[Signature]] writes them. A method of the same
 *   name with other types is never changed. There are several where releases of Delta differ, or
 *   where overloads do not call each other.
 * @param degradation
 *   what a user loses where the hook cannot be applied, as the end of a sentence
 * @param required
 *   whether a session without the hook must not start
 * @param requires
 *   the names of the hooks without which this one would do harm or nothing; if one of them is
 *   missing, this one is missing too
 * @param olderClassName
 *   where an older Delta has the method, if it has no class of that name
 * @param replace
 *   from what Delta has to what Delta should use instead; its result must not be typed as a class
 *   that is to be changed, because making the function would load that class too early
 * @param verify
 *   whether Delta uses the hook, evaluated once all hooks are in place; if not, the session must not
 *   start
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
    replace: HookCall => Any,
    verify: () => Boolean = () => true
)

/** The three changes made to a method. None of them adds a local or a branch. */
sealed private[deltacollations] trait HookKind

private[deltacollations] object HookKind {

  /** The hook is called before the method starts, and its result is dropped. */
  case object OnEntry extends HookKind

  /** The value the method is about to return goes through the hook. */
  case object ReplaceResult extends HookKind

  /** An argument, counted from 0, goes through the hook before the method starts. */
  final case class ReplaceArgument(index: Int) extends HookKind
}

/** What the rewritten method knows at that moment. */
final private[deltacollations] case class HookCall(
    value: AnyRef,
    receiver: AnyRef,
    arguments: IndexedSeq[AnyRef]
)
