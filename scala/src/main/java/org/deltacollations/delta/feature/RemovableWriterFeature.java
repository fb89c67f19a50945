// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.feature;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.delta.FeatureAutomaticallyEnabledByMetadata;
import org.apache.spark.sql.delta.PreDowngradeStatus;
import org.apache.spark.sql.delta.PreDowngradeTableFeatureCommand;
import org.apache.spark.sql.delta.RemovableFeature;
import org.apache.spark.sql.delta.Snapshot;
import org.apache.spark.sql.delta.WriterFeature;
import org.apache.spark.sql.delta.catalog.DeltaTableV2;

/**
 * A writer-only table feature that can be dropped. It is written in Java because Delta's base classes
 * are sealed in Scala.
 */
public abstract class RemovableWriterFeature extends WriterFeature
    implements FeatureAutomaticallyEnabledByMetadata, RemovableFeature {

  private static final long serialVersionUID = 1L;

  protected RemovableWriterFeature(String name) {
    super(name);
  }

  /** Throws an error with the next step if the table uses the feature. */
  protected abstract void requireUnused(Snapshot snapshot);

  @Override
  public PreDowngradeTableFeatureCommand preDowngradeCommand(DeltaTableV2 table) {
    return new PreDowngradeTableFeatureCommand() {
      @Override
      public PreDowngradeStatus removeFeatureTracesIfNeeded(SparkSession spark) {
        requireUnused(table.initialSnapshot());
        return PreDowngradeStatus.DID_NOT_PERFORM_CHANGES();
      }
    };
  }
}
