// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.commit

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.delta.OptimisticTransactionImpl
import org.apache.spark.sql.delta.actions.Protocol

import org.deltacollations.delta.feature.FeatureRegistry
import org.deltacollations.patch.{Hook, HookKind}
import org.deltacollations.protocol.SchemaJson

/**
 * Adds the table feature with the first commit to a collated table that does not support it.
 *
 * Delta without this library creates such tables if its check for unsupported types is disabled. Delta
 * upgrades the protocol itself, but only when the metadata changes.
 */
private[delta] object ProtocolUpgrade {

  val hook: Hook = Hook(
    name = "protocol-upgrade",
    className = "org.apache.spark.sql.delta.OptimisticTransactionImpl",
    method = "commitImpl",
    signatures = Seq(
      "(immutable.Seq, sql.delta.DeltaOperations$Operation, boolean, immutable.Map): scala.Option"
    ),
    kind = HookKind.OnEntry,
    degradation =
      "collated tables without the table feature get it only when their metadata changes",
    replace = call => upgrade(call.receiver.asInstanceOf[OptimisticTransactionImpl])
  )

  private def upgrade(transaction: OptimisticTransactionImpl): Unit = {
    val protocol = transaction.protocol
    if (
      !FeatureRegistry.isSupported(protocol) &&
      SchemaJson.hasCollations(transaction.metadata.schemaString)
    )
      Protocol
        .upgradeProtocolFromMetadataForExistingTable(
          SparkSession.active,
          transaction.metadata,
          protocol
        )
        .foreach(transaction.updateProtocol)
  }
}
