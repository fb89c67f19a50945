// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta

import org.deltacollations.delta.commit.DomainConflict
import org.deltacollations.delta.commit.ProtocolUpgrade
import org.deltacollations.delta.commit.WriteVersionsCommit
import org.deltacollations.delta.feature.FeatureDependencies
import org.deltacollations.delta.feature.FeatureRegistry
import org.deltacollations.delta.feature.ProtocolCompletion
import org.deltacollations.delta.patch.Hook
import org.deltacollations.delta.scan.ScanContext
import org.deltacollations.delta.scan.ScanHooks
import org.deltacollations.delta.schema.AlterColumnCollation
import org.deltacollations.delta.schema.ChangeGuard
import org.deltacollations.delta.schema.ClusteringColumnCheck
import org.deltacollations.delta.schema.DependentExpressionCheck
import org.deltacollations.delta.schema.MetadataValidation
import org.deltacollations.delta.schema.SchemaMerge
import org.deltacollations.delta.schema.SchemaSerialization
import org.deltacollations.delta.schema.UnsupportedTypeCheck
import org.deltacollations.delta.schema.WriteCast
import org.deltacollations.delta.skipping.BoundsColumn
import org.deltacollations.delta.skipping.CollatedDataFilters
import org.deltacollations.delta.skipping.CollatedFileFilter
import org.deltacollations.delta.stats.BinaryBounds
import org.deltacollations.delta.stats.CheckpointStats
import org.deltacollations.delta.stats.CodePointTagging
import org.deltacollations.delta.stats.StatsCollector
import org.deltacollations.delta.stats.StatsColumnCheck
import org.deltacollations.delta.stats.StatsPreservation

/**
 * Every hook into Delta: the whole of what this library changes there. Classes are changed in this
 * order, and one that others extend comes before them, because defining those loads it.
 */
private[delta] object DeltaHooks {

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
    BoundsColumn.hook,
    CollatedFileFilter.hook,
    ScanHooks.hook,
    ScanContext.hook,
    StatsPreservation.deletionVectors,
    StatsPreservation.recomputed,
    CheckpointStats.state,
    CheckpointStats.parsed,
    WriteCast.hook,
    CodePointTagging.hook,
    MetadataValidation.hook,
    // Announces the domain, without which the next one may not write to it.
    ProtocolUpgrade.hook,
    WriteVersionsCommit.listing,
    WriteVersionsCommit.isolation,
    DomainConflict.merging,
    DomainConflict.hiding,
    AlterColumnCollation.hook,
    ChangeGuard.hook,
    SchemaMerge.hook,
    DependentExpressionCheck.hook,
    StatsColumnCheck.hook,
    ClusteringColumnCheck.hook
  )
}
