// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.feature

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.delta.actions.{Action, Metadata, Protocol}
import org.apache.spark.sql.delta.catalog.DeltaTableV2
import org.apache.spark.sql.delta.{DomainMetadataTableFeature, Snapshot, TableFeature}

import org.deltacollations.collation.CollatedTypes
import org.deltacollations.errors.CollationsErrors
import org.deltacollations.protocol.{FeatureNames, SchemaJson}

/** RFC, "Collations Table Feature": both names bring `domainMetadata` along. */
sealed abstract private[delta] class CollationsFeature(name: String)
    extends RemovableWriterFeature(name) {

  override def requiredFeatures: Set[TableFeature] = Set(DomainMetadataTableFeature)

  /** A collation is asked for by name in a statement, so the upgrade is never a surprise. */
  override def automaticallyUpdateProtocolOfExistingTables: Boolean = true

  override protected def requireUnused(snapshot: Snapshot): Unit = {
    val known = CollatedTypes.collatedStrings(snapshot.schema).map(_._1.mkString("."))
    (known ++ SchemaJson.collatedFields(snapshot.metadata.schemaString)).nextOption().foreach {
      column => throw CollationsErrors.featureInUse(name, column)
    }
  }

  /** Asked again when a commit of another writer came in between. */
  override def validateDropInvariants(table: DeltaTableV2, snapshot: Snapshot): Boolean =
    !SchemaJson.hasCollations(snapshot.metadata.schemaString)

  override def actionsToIncludeAtDowngradeCommit(snapshot: Snapshot): Seq[Action] =
    snapshot.domainMetadata.filter(CollationsDomain.contains).map(_.copy(removed = true))

  /** Readers never needed the feature, so older versions of the table need no protection. */
  override def requiresHistoryProtection: Boolean = false

  override def actionUsesFeature(action: Action): Boolean = false
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
      SchemaJson.hasCollations(metadata.schemaString)
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
