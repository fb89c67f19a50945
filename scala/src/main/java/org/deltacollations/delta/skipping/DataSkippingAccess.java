// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping;

import org.apache.spark.sql.Column;
import org.apache.spark.sql.delta.stats.DataSkippingPredicate;
import org.apache.spark.sql.delta.stats.DataSkippingReaderBase;
import scala.collection.immutable.Seq;
import scala.collection.immutable.Set$;

/** Opens what Delta keeps to its readers of statistics; Java sees it, and hands it on unnamed. */
final class DataSkippingAccess {

  private DataSkippingAccess() {}

  /** A filter that knows itself what to do with files without statistics. */
  static Object predicate(Column filter) {
    return new DataSkippingPredicate(filter, Set$.MODULE$.empty());
  }

  static Column filter(Object predicate) {
    return ((DataSkippingPredicate) predicate).expr();
  }

  /** Whether a file has all the statistics that Delta's own part of the filter asks. */
  static Column isAnswerable(DataSkippingReaderBase files, Object predicate) {
    return files.verifyStatsForFilter(((DataSkippingPredicate) predicate).referencedStats());
  }

  /** A statistic of a column, whose names are in reverse order; null where there is none. */
  static Column statistic(DataSkippingReaderBase files, String name, Seq<String> column) {
    return files.getStatsColumnOrNullLiteral(name, column);
  }
}
