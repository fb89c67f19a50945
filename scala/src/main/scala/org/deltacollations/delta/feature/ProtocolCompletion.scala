// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.feature

import org.apache.spark.sql.delta.TableFeature
import org.apache.spark.sql.delta.actions.{Metadata, Protocol}

import org.deltacollations.patch.{Hook, HookKind}
import org.deltacollations.protocol.SchemaJson

/**
 * Lets Delta open tables that another engine wrote without a required table feature.
 *
 * Delta does not open a table whose protocol lacks a feature that the schema or another feature
 * requires. Without this library it opens such tables, because it does not know of collations, and
 * readers do not need the features. So the check gets a protocol with the missing features. The log is
 * unchanged until the next change of protocol or metadata, in which Delta adds the features itself.
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
      complete(
        call.arguments(0).asInstanceOf[Protocol],
        call.arguments(1).asInstanceOf[Metadata]
      )
  )

  private def complete(protocol: Protocol, metadata: Metadata): Protocol =
    if (protocol.supportsWriterFeatures) protocol.withFeatures(requiredFeatures(protocol, metadata))
    else protocol

  private def requiredFeatures(protocol: Protocol, metadata: Metadata): Set[TableFeature] = {
    val supported = FeatureRegistry.features.filter(protocol.isFeatureSupported)
    if (supported.nonEmpty) supported.flatMap(_.requiredFeatures).toSet
    else if (SchemaJson.hasCollations(metadata.schemaString)) Set(CollationsTableFeature)
    else Set.empty
  }
}
