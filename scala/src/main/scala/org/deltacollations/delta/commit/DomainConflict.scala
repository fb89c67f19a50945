// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.commit

import org.apache.spark.sql.delta.actions.DomainMetadata

import org.deltacollations.delta.patch.{Hook, HookCall, HookKind}
import org.deltacollations.protocol.{FeatureNames, WriteVersions}

/**
 * Lets two writers list versions at the same time. Delta fails the second of two commits that touch
 * one domain, unless it knows how to make one of both; for lists of versions that is easy, and a hint
 * must not cost anybody a commit.
 *
 * The first hook makes one of both, the second keeps from Delta that there was anything to decide. The
 * second alone would lose the list of the other writer.
 */
private[delta] object DomainConflict {

  private val checker = "org.apache.spark.sql.delta.ConflictChecker"

  /** The local function that Delta decides by: what we want to commit, and what others committed. */
  private val resolve = "resolveConflict$1"

  private val lost =
    "of two concurrent commits that list a collation version, one fails"

  val merging: Hook = Hook(
    name = "domain-merge",
    className = checker,
    method = resolve,
    signatures = Seq(
      "(sql.delta.actions.DomainMetadata, immutable.Map): sql.delta.actions.DomainMetadata"
    ),
    kind = HookKind.ReplaceArgument(0),
    degradation = lost,
    requires = Set("domain-merged"),
    replace = call => {
      val ours = call.arguments(0).asInstanceOf[DomainMetadata]
      if (ours.domain != FeatureNames.Domain) ours
      else winners(call).get(FeatureNames.Domain).fold(ours)(merged(ours, _))
    }
  )

  val hiding: Hook = Hook(
    name = "domain-merged",
    className = checker,
    method = resolve,
    signatures = Seq(
      "(sql.delta.actions.DomainMetadata, immutable.Map): sql.delta.actions.DomainMetadata"
    ),
    kind = HookKind.ReplaceArgument(1),
    degradation = lost,
    requires = Set("domain-merge"),
    replace = call => winners(call) - FeatureNames.Domain
  )

  private def winners(call: HookCall): Map[String, DomainMetadata] =
    call.arguments(1).asInstanceOf[Map[String, DomainMetadata]]

  /**
   * Our removal stands, though others added to the list; and where others removed it, the configuration
   * they left behind is no list any more, so ours stands again.
   */
  private def merged(ours: DomainMetadata, theirs: DomainMetadata): DomainMetadata =
    if (ours.removed || theirs.removed) ours
    else {
      val both = WriteVersions.read(theirs.configuration)
        .merged(WriteVersions.read(ours.configuration))
      ours.copy(configuration = both.toString)
    }
}
