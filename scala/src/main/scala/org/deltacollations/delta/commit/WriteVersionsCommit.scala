// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.commit

import org.apache.spark.sql.delta.actions.{Action, AddFile, DomainMetadata}
import org.apache.spark.sql.delta.{DeltaOperations, DomainMetadataUtils, OptimisticTransactionImpl}

import org.deltacollations.collation.{CoarserCollations, CollatedTypes, SparkCollations}
import org.deltacollations.delta.feature.{CollationsDomain, FeatureRegistry}
import org.deltacollations.delta.stats.AdditionalIcuVersions
import org.deltacollations.patch.{Hook, HookKind}
import org.deltacollations.protocol.{CollationId, FeatureNames}

/**
 * Lists a collation version in the metadata domain of the table with the first commit that adds
 * statistics for it, so that other writers know for which versions to collect statistics.
 *
 * CLONE, CONVERT and RESTORE commit through `commitLarge`, which gets its files as an iterator and has
 * no hook. The next commit that adds statistics lists their versions.
 */
private[delta] object WriteVersionsCommit {

  private val transactionClass = "org.apache.spark.sql.delta.OptimisticTransactionImpl"

  val listing: Hook = Hook(
    name = "write-versions",
    className = transactionClass,
    method = "commitImpl",
    signatures = Seq(
      "(immutable.Seq, sql.delta.DeltaOperations$Operation, boolean, immutable.Map): scala.Option"
    ),
    kind = HookKind.ReplaceArgument(0),
    degradation = "tables do not list the collation versions that statistics were written for",
    replace = call => {
      val actions = call.arguments(0).asInstanceOf[Seq[Action]]
      if (isBackfill(call.arguments(1).asInstanceOf[DeltaOperations.Operation])) actions
      else actions ++ newVersions(call.receiver.asInstanceOf[OptimisticTransactionImpl], actions)
    }
  )

  /**
   * Prevents conflicts between `OPTIMIZE` and concurrent appends. Delta uses a stricter isolation level
   * for a commit with other actions than files, under which one of the two commits fails. The domain
   * does not need it, because it does not depend on data that the transaction has read.
   */
  val isolation: Hook = Hook(
    name = "write-versions-isolation",
    className = transactionClass,
    method = "getIsolationLevelToUse",
    signatures = Seq(
      "(immutable.Seq, sql.delta.DeltaOperations$Operation): sql.delta.IsolationLevel"
    ),
    kind = HookKind.ReplaceArgument(0),
    degradation =
      "OPTIMIZE may conflict with a concurrent append when it lists a collation version",
    replace = call =>
      call.arguments(0).asInstanceOf[Seq[Action]].filterNot(CollationsDomain.contains)
  )

  /**
   * Returns whether the operation commits existing files again to add row IDs. Such a commit fails
   * with a conflict if it has other actions and another writer commits concurrently.
   */
  private def isBackfill(operation: DeltaOperations.Operation): Boolean =
    operation.name.startsWith("ROW TRACKING")

  private def newVersions(
      transaction: OptimisticTransactionImpl,
      actions: Seq[Action]
  ): Option[DomainMetadata] = {
    lazy val listed = CollationsDomain.writeVersions(transaction.snapshot)
    lazy val unlisted = currentIds(transaction)
      .flatMap(id => id +: AdditionalIcuVersions.requestedVersions(listed, id))
      .filterNot(listed.contains)
    if (
      !actions.exists(_.isInstanceOf[AddFile]) || actions.exists(CollationsDomain.contains) ||
      // Without the hook of ProtocolUpgrade, the table may not support the feature yet.
      !FeatureRegistry.isSupported(transaction.protocol) ||
      !DomainMetadataUtils.domainMetadataSupported(transaction.protocol) || unlisted.isEmpty
    ) None
    else {
      val added = unlisted.filter(id => actions.exists(hasStats(_, id)))
      Option.when(added.nonEmpty)(
        DomainMetadata(FeatureNames.Domain, listed.including(added).toString, removed = false)
      )
    }
  }

  /** Returns the identifiers under which this session collects statistics of the collated columns. */
  private def currentIds(transaction: OptimisticTransactionImpl): Seq[CollationId] =
    CollatedTypes.collatedStrings(transaction.metadata.schema)
      .flatMap { case (_, string) => CoarserCollations.forStatistics(string) }
      .map(SparkCollations.versionedId).distinct.toSeq

  private def hasStats(action: Action, id: CollationId): Boolean = action match {
    case add: AddFile => add.stats != null && add.stats.contains(s"\"$id\"")
    case _ => false
  }
}
