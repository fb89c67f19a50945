// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.delta.actions.{Metadata, Protocol}
import org.apache.spark.sql.delta.{DomainMetadataTableFeature, TableFeature}

import org.deltacollations.protocol.{FeatureNames, SchemaText}

/** RFC, "Collations Table Feature": both names bring `domainMetadata` along. */
sealed abstract private[delta] class CollationsFeature(name: String)
    extends OpenWriterFeature(name) {

  override def requiredFeatures: Set[TableFeature] = Set(DomainMetadataTableFeature)

  /** A collation is asked for by name in a statement, so the upgrade is never a surprise. */
  override def automaticallyUpdateProtocolOfExistingTables: Boolean = true
}

/** What every table with a collated string announces. */
private[delta] case object CollationsTableFeature
    extends CollationsFeature(FeatureNames.Collations) {

  /** A table that announces the preview name keeps it: nobody asked for the other one. */
  override def metadataRequiresFeatureToBeEnabled(
      protocol: Protocol,
      metadata: Metadata,
      spark: SparkSession
  ): Boolean =
    !protocol.isFeatureSupported(CollationsPreviewTableFeature) &&
      SchemaText.hasCollations(metadata.schemaString)
}

/** The older name: tables that have it are written, but none is ever given it. */
private[delta] case object CollationsPreviewTableFeature
    extends CollationsFeature(FeatureNames.CollationsPreview) {

  override def metadataRequiresFeatureToBeEnabled(
      protocol: Protocol,
      metadata: Metadata,
      spark: SparkSession
  ): Boolean = false
}
