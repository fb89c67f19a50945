// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta

/**
 * Every hook into Delta: the whole of what this library changes there. Classes are changed in this
 * order, and one that others extend comes before them, because defining those loads it.
 */
private[delta] object DeltaHooks {

  val all: Seq[Hook] = Seq(
    FeatureGate.hook,
    DependentFeatures.hook,
    TypeGate.hook,
    ProtocolGate.hook,
    SchemaGate.reading,
    SchemaGate.writing,
    StatsCollector.hook,
    BinaryBounds.hook,
    CollatedFilter.hook,
    FileBounds.hook,
    BoundFilter.hook,
    CountedScan.hook,
    ScanReports.hook,
    KeptStats.deletionVectors,
    KeptStats.recomputed,
    CheckpointStats.state,
    CheckpointStats.parsed,
    WriteCast.hook,
    TaggedFiles.hook,
    MetadataGate.hook,
    // Announces the domain, without which the next one may not write to it.
    FirstWrite.hook,
    CommitDomain.listing,
    CommitDomain.isolation,
    DomainConflict.merging,
    DomainConflict.hiding,
    ChangeGate.hook,
    ChangeGuard.hook,
    SchemaMerge.hook,
    DependentCheck.hook,
    StatsColumnGate.hook,
    ClusterGate.hook
  )
}
