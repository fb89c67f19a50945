// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.feature

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.delta.actions.{Action, Metadata, Protocol}
import org.apache.spark.sql.delta.catalog.DeltaTableV2
import org.apache.spark.sql.delta.{DomainMetadataTableFeature, Snapshot, TableFeature}

import org.deltacollations.collation.CollatedTypes
import org.deltacollations.errors.CollationsErrors
import org.deltacollations.protocol.{FeatureNames, SchemaJson}

/**
 * The table feature, which has a final name and a preview name. Both require `domainMetadata` (RFC,
 * "Collations Table Feature").
 */
sealed abstract private[delta] class CollationsFeature(name: String)
    extends RemovableWriterFeature(name) {

  override def requiredFeatures: Set[TableFeature] = Set(DomainMetadataTableFeature)

  /** A user requests a collation by name in a statement, so the upgrade is not a surprise. */
  override def automaticallyUpdateProtocolOfExistingTables: Boolean = true

  override protected def requireUnused(snapshot: Snapshot): Unit = {
    val collated = CollatedTypes.collatedStrings(snapshot.schema).map(_._1.mkString("."))
    // Also finds fields with an unsupported collation, which Spark reads as UTF8_BINARY.
    val inLog = SchemaJson.collatedFields(snapshot.metadata.schemaString)
    (collated ++ inLog).nextOption().foreach { column =>
      throw CollationsErrors.featureInUse(name, column)
    }
  }

  /** Delta validates again if another writer has committed in between. */
  override def validateDropInvariants(table: DeltaTableV2, snapshot: Snapshot): Boolean =
    !SchemaJson.hasCollations(snapshot.metadata.schemaString)

  override def actionsToIncludeAtDowngradeCommit(snapshot: Snapshot): Seq[Action] =
    snapshot.domainMetadata.filter(CollationsDomain.contains).map(_.copy(removed = true))

  /** Readers do not need the feature, so older versions of the table need no protection. */
  override def requiresHistoryProtection: Boolean = false

  override def actionUsesFeature(action: Action): Boolean = false
}

/** The feature of every table with a collated column. */
private[delta] case object CollationsTableFeature
    extends CollationsFeature(FeatureNames.Collations) {

  /** A table that supports the preview feature keeps it and does not need this one. */
  override def metadataRequiresFeatureToBeEnabled(
      protocol: Protocol,
      metadata: Metadata,
      spark: SparkSession
  ): Boolean =
    !protocol.isFeatureSupported(CollationsPreviewTableFeature) &&
      SchemaJson.hasCollations(metadata.schemaString)
}

/** The older name of the feature. Tables that support it can be written, but no table gets it. */
private[delta] case object CollationsPreviewTableFeature
    extends CollationsFeature(FeatureNames.CollationsPreview) {

  override def metadataRequiresFeatureToBeEnabled(
      protocol: Protocol,
      metadata: Metadata,
      spark: SparkSession
  ): Boolean = false
}
