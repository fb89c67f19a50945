// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.feature

import org.apache.spark.sql.delta.Snapshot
import org.apache.spark.sql.delta.actions.{Action, DomainMetadata}

import org.deltacollations.protocol.{FeatureNames, WriteVersions}

/** Reads the metadata domain that lists the collation versions for which writers collect statistics. */
private[delta] object CollationsDomain {

  def contains(action: Action): Boolean = action match {
    case metadata: DomainMetadata => metadata.domain == FeatureNames.Domain
    case _ => false
  }

  /**
   * Returns the versions that a table lists. Reads the checksum if there is one: otherwise Delta
   * replays the whole log, which an append does not need.
   */
  def writeVersions(snapshot: Snapshot): WriteVersions =
    WriteVersions.read(
      snapshot.checksumOpt.flatMap(_.domainMetadata).getOrElse(snapshot.domainMetadata)
        .find(metadata => contains(metadata) && !metadata.removed)
        .fold("")(_.configuration)
    )
}
