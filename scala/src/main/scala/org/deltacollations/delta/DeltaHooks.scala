// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta

import org.deltacollations.delta.commit.{DomainConflict, ProtocolUpgrade, WriteVersionsCommit}
import org.deltacollations.delta.feature.{FeatureDependencies, FeatureRegistry, ProtocolCompletion}
import org.deltacollations.delta.kernel.KernelSchema
import org.deltacollations.delta.layout.CollatedClustering
import org.deltacollations.delta.scan.ScanHooks
import org.deltacollations.delta.schema.{
  AlterColumnCollation,
  ClusteringColumnCheck,
  DependentExpressionCheck,
  MetadataValidation,
  SchemaMerge,
  SchemaSerialization,
  StreamSchemaCheck,
  UnsupportedTypeCheck,
  WriteCast
}
import org.deltacollations.delta.skipping.{
  CollatedDataFilters,
  CollatedFileFilter,
  FilesWithBounds,
  MergeKeyPredicates
}
import org.deltacollations.delta.stats.{
  BinaryBounds,
  CheckpointStats,
  CodePointTagging,
  StatsCollector,
  StatsColumnCheck,
  StatsPreservation
}
import org.deltacollations.patch.Hook

/**
 * Lists all hooks, and so everything that this library changes in Delta. Classes are changed in this
 * order. A superclass must come before its subclasses, because defining a subclass loads it.
 */
private[deltacollations] object DeltaHooks {

  val all: Seq[Hook] = Seq(
    FeatureRegistry.hook,
    FeatureDependencies.hook,
    UnsupportedTypeCheck.hook,
    ProtocolCompletion.hook,
    SchemaSerialization.reading,
    SchemaSerialization.writing,
    StatsCollector.hook,
    BinaryBounds.hook,
    CollatedDataFilters.hook,
    FilesWithBounds.parsing,
    FilesWithBounds.caching,
    CollatedFileFilter.hook,
    ScanHooks.begin,
    ScanHooks.countOnly,
    ScanHooks.end,
    StatsPreservation.deletionVectors,
    StatsPreservation.recomputed,
    CheckpointStats.state,
    CheckpointStats.parsed,
    CheckpointStats.cleanup,
    WriteCast.hook,
    CodePointTagging.hook,
    MetadataValidation.hook,
    // Adds the features without which the next hook does not list versions.
    ProtocolUpgrade.hook,
    WriteVersionsCommit.listing,
    WriteVersionsCommit.isolation,
    MergeKeyPredicates.matching,
    MergeKeyPredicates.insertOnly,
    MergeKeyPredicates.insertOnlyFiles,
    DomainConflict.merging,
    DomainConflict.hiding,
    AlterColumnCollation.allowed,
    AlterColumnCollation.validated,
    SchemaMerge.hook,
    DependentExpressionCheck.hook,
    StatsColumnCheck.hook,
    ClusteringColumnCheck.hook,
    CollatedClustering.hook,
    StreamSchemaCheck.untracked,
    StreamSchemaCheck.tracked,
    KernelSchema.reading,
    KernelSchema.writing
  )
}
