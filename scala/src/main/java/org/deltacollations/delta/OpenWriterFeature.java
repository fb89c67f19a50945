// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta;

import org.apache.spark.sql.delta.FeatureAutomaticallyEnabledByMetadata;
import org.apache.spark.sql.delta.WriterFeature;

/** A writer-only table feature that Scala may extend: Delta's own classes are sealed for Scala. */
public abstract class OpenWriterFeature extends WriterFeature
    implements FeatureAutomaticallyEnabledByMetadata {

  private static final long serialVersionUID = 1L;

  protected OpenWriterFeature(String name) {
    super(name);
  }
}
