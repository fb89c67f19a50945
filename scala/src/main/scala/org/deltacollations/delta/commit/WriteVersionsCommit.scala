// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.commit

import org.apache.spark.sql.delta.actions.{Action, AddFile, DomainMetadata}
import org.apache.spark.sql.delta.{DeltaOperations, DomainMetadataUtils, OptimisticTransactionImpl}

import org.deltacollations.collation.{CollatedTypes, SparkCollations, SparkOrder}
import org.deltacollations.delta.feature.{CollationsDomain, FeatureRegistry}
import org.deltacollations.delta.patch.{Hook, HookKind}
import org.deltacollations.delta.stats.AdditionalIcuVersions
import org.deltacollations.protocol.{CollationId, FeatureNames}

/**
 * Lists a version of a collation in the domain `collations` with the first commit that adds
 * statistics under it, so that other writers know which versions are worth their while.
 *
 * Delta commits a large table of another place at once (CLONE, CONVERT, RESTORE) by another way,
 * which holds its files as a stream; the next commit that adds statistics makes up for it.
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
      if (copiesFiles(call.arguments(1).asInstanceOf[DeltaOperations.Operation])) actions
      else actions ++ listed(call.receiver.asInstanceOf[OptimisticTransactionImpl], actions)
    }
  )

  /**
   * Keeps `OPTIMIZE` out of the way of appends. To Delta an action it does not know is a reason for
   * a stricter isolation, under which one of the two fails; this one depends on nothing that was
   * read.
   */
  val isolation: Hook = Hook(
    name = "write-versions-isolation",
    className = transactionClass,
    method = "getIsolationLevelToUse",
    signatures = Seq(
      "(immutable.Seq, sql.delta.DeltaOperations$Operation): sql.delta.IsolationLevel"
    ),
    kind = HookKind.ReplaceArgument(0),
    degradation = "OPTIMIZE may conflict with a concurrent append when it lists a collation version",
    replace = call => call.arguments(0).asInstanceOf[Seq[Action]].filterNot(CollationsDomain.contains)
  )

  /** These commit existing files once more, and fail beside another writer if anything is added. */
  private def copiesFiles(operation: DeltaOperations.Operation): Boolean =
    operation.name.startsWith("ROW TRACKING")

  private def listed(
      transaction: OptimisticTransactionImpl,
      actions: Seq[Action]
  ): Option[DomainMetadata] = {
    lazy val known = CollationsDomain.writeVersions(transaction.snapshot)
    lazy val missing = wanted(transaction)
      .flatMap(running => running +: AdditionalIcuVersions.asked(known, running)).filterNot(
        known.contains
      )
    if (
      !actions.exists(_.isInstanceOf[AddFile]) || actions.exists(CollationsDomain.contains) ||
      // Where ProtocolUpgrade is missing, a table may still not support the feature.
      !FeatureRegistry.isSupported(transaction.protocol) ||
      !DomainMetadataUtils.domainMetadataSupported(transaction.protocol) || missing.isEmpty
    ) None
    else {
      val added = missing.filter(id => actions.exists(holdsStatistics(_, id)))
      Option.when(added.nonEmpty)(
        DomainMetadata(FeatureNames.Domain, known.including(added).toString, removed = false)
      )
    }
  }

  /** What this session's statistics on the collated columns of the table are kept under. */
  private def wanted(transaction: OptimisticTransactionImpl): Seq[CollationId] =
    CollatedTypes.collatedStrings(transaction.metadata.schema)
      .map { case (_, string) => SparkCollations.versionedId(string) }
      .distinct.filter(id => SparkOrder(id.name).isTotalOrder).toSeq

  private def holdsStatistics(action: Action, id: CollationId): Boolean = action match {
    case add: AddFile => add.stats != null && add.stats.contains(s"\"$id\"")
    case _ => false
  }
}
