// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta;

import org.apache.spark.sql.delta.stats.StatisticsCollection;

/** Opens what Delta's collector keeps to its heirs; Java sees it, Scala does not. */
final class OpenStatistics {

  private OpenStatistics() {}

  /** The table's own setting before the session's. */
  static int stringPrefixLength(StatisticsCollection statistics) {
    return statistics.getDataSkippingStringPrefixLength();
  }
}
