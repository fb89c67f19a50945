// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.delta.sources.DeltaSQLConf;
import org.apache.spark.sql.delta.stats.StatisticsCollection;

/**
 * Calls protected members of Delta's {@code StatisticsCollection}. Scala compiles them to public
 * methods, so Java can access them.
 */
final class StatisticsCollectionAccess {

  private StatisticsCollectionAccess() {}

  /** Returns the setting of the table, else of the session. Delta 4.0 has only the session's. */
  static int stringPrefixLength(StatisticsCollection statistics) {
    try {
      return statistics.getDataSkippingStringPrefixLength();
    } catch (NoSuchMethodError delta40) {
      String key = DeltaSQLConf.DATA_SKIPPING_STRING_PREFIX_LENGTH().key();
      return Integer.parseInt(SparkSession.active().conf().get(key));
    }
  }
}
