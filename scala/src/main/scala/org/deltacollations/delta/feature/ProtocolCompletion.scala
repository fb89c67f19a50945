// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.feature

import org.apache.spark.sql.delta.TableFeature
import org.apache.spark.sql.delta.actions.{Metadata, Protocol}

import org.deltacollations.delta.patch.{Hook, HookKind}
import org.deltacollations.protocol.SchemaJson

/**
 * Lets tables be opened that another engine left without a feature they should announce.
 *
 * Delta opens no table whose protocol lacks a feature that its schema or its other features call
 * for. Before it knew of collations it opened these, and a reader needs none of it: so the check
 * sees the protocol as it ought to be. What is written stays as it is until the next change of
 * protocol or metadata, where Delta adds what is missing by itself.
 */
private[delta] object ProtocolCompletion {

  val hook: Hook = Hook(
    name = "protocol-check",
    className = "org.apache.spark.sql.delta.DeltaLog",
    method = "assertTableFeaturesMatchMetadata",
    signatures = Seq("(sql.delta.actions.Protocol, sql.delta.actions.Metadata): void"),
    kind = HookKind.ReplaceArgument(0),
    degradation = "collated tables without a table feature that they require cannot be opened",
    replace = call =>
      completed(
        call.arguments(0).asInstanceOf[Protocol],
        call.arguments(1).asInstanceOf[Metadata]
      )
  )

  private def completed(protocol: Protocol, metadata: Metadata): Protocol =
    if (protocol.supportsWriterFeatures) protocol.withFeatures(calledFor(protocol, metadata))
    else protocol

  private def calledFor(protocol: Protocol, metadata: Metadata): Set[TableFeature] = {
    val announced = FeatureRegistry.features.filter(protocol.isFeatureSupported)
    if (announced.nonEmpty) announced.flatMap(_.requiredFeatures).toSet
    else if (SchemaJson.hasCollations(metadata.schemaString)) Set(CollationsTableFeature)
    else Set.empty
  }
}
