// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.delta.commands.MergeIntoCommandBase;
import org.apache.spark.sql.delta.commands.merge.MergeIntoMaterializeSourceReason;

/**
 * Calls protected members of Delta's {@code MERGE} command. Scala compiles them to public methods, so
 * Java can access them.
 *
 * <p>The command is passed as {@code Object}: a signature with Delta's class would load it too early.
 */
final class MergeAccess {

  private MergeAccess() {}

  /** Returns the rows of the source, as all later steps of the command read them. */
  static Dataset<Row> source(Object command) {
    return ((MergeIntoCommandBase) command).getMergeSource().df();
  }

  /** Returns whether Delta has stored the rows of the source. */
  static boolean isMaterialized(Object command) {
    return ((MergeIntoCommandBase) command).getMergeSource().isMaterialized();
  }

  /** Returns whether Delta would read the source more than once without storing its rows. */
  static boolean isRepeatable(Object command) {
    MergeIntoCommandBase merge = (MergeIntoCommandBase) command;
    Object reason = merge.shouldMaterializeSource(SparkSession.active(), merge.source(), false)._2();
    return MergeIntoMaterializeSourceReason.NOT_MATERIALIZED_AUTO().equals(reason);
  }
}
