// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.commit

import org.apache.spark.sql.delta.actions.DomainMetadata

import org.deltacollations.delta.feature.CollationsDomain
import org.deltacollations.patch.{Hook, HookCall, HookKind}
import org.deltacollations.protocol.{FeatureNames, WriteVersions}

/**
 * Merges the lists of two concurrent commits that list collation versions. Delta fails the second of
 * two commits that change the same metadata domain, unless it has a resolver for the domain. Version
 * lists are only a hint and can be merged, so they must not fail a commit.
 *
 * The first hook merges the lists. The second hides the domain of the other commit from Delta, so that
 * Delta does not detect a conflict. The second hook alone would lose the list of the other writer.
 */
private[delta] object DomainConflict {

  private val checker = "org.apache.spark.sql.delta.ConflictChecker"

  /** Delta's local function from the current domain and the domains that others committed. */
  private val resolve = "resolveConflict$1"

  private val signatures =
    Seq("(sql.delta.actions.DomainMetadata, immutable.Map): sql.delta.actions.DomainMetadata")

  private val degradation =
    "of two concurrent commits that list a collation version, one fails"

  val merging: Hook = Hook(
    name = "domain-merge",
    className = checker,
    method = resolve,
    signatures = signatures,
    kind = HookKind.ReplaceArgument(0),
    degradation = degradation,
    requires = Set("domain-merged"),
    replace = call => {
      val current = call.arguments(0).asInstanceOf[DomainMetadata]
      if (!CollationsDomain.contains(current)) current
      else committed(call).get(FeatureNames.Domain).fold(current)(merge(current, _))
    }
  )

  val hiding: Hook = Hook(
    name = "domain-merged",
    className = checker,
    method = resolve,
    signatures = signatures,
    kind = HookKind.ReplaceArgument(1),
    degradation = degradation,
    requires = Set("domain-merge"),
    replace = call => committed(call) - FeatureNames.Domain
  )

  private def committed(call: HookCall): Map[String, DomainMetadata] =
    call.arguments(1).asInstanceOf[Map[String, DomainMetadata]]

  /**
   * Merges the version lists. If either domain is removed, returns the current one, because the
   * configuration of a removed domain does not contain a list.
   */
  private def merge(current: DomainMetadata, committed: DomainMetadata): DomainMetadata =
    if (current.removed || committed.removed) current
    else {
      val merged = WriteVersions.read(committed.configuration)
        .merged(WriteVersions.read(current.configuration))
      current.copy(configuration = merged.toString)
    }
}
