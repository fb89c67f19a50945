// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.delta.sources.DeltaSQLConf;
import org.apache.spark.sql.delta.stats.StatisticsCollection;

/** Opens what Delta's collector keeps to its heirs; Java sees it, Scala does not. */
final class StatisticsCollectionAccess {

  private StatisticsCollectionAccess() {}

  /** The table's own setting before the session's; Delta 4.0 knows the session's alone. */
  static int stringPrefixLength(StatisticsCollection statistics) {
    try {
      return statistics.getDataSkippingStringPrefixLength();
    } catch (NoSuchMethodError delta40) {
      String key = DeltaSQLConf.DATA_SKIPPING_STRING_PREFIX_LENGTH().key();
      return Integer.parseInt(SparkSession.active().conf().get(key));
    }
  }
}
