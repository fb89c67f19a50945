// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import org.deltacollations.collation.sortkey.SortKeys

/** Computes sort keys of a Spark collation. Serialized by name; each JVM builds its own tables. */
final case class SparkSortKeys(collation: String) {

  @transient private lazy val data = SparkOrder.dataOf(collation)

  /** Creates a writer for one task. Writers are not thread-safe. */
  def writer(): SortKeys#Writer = data.keys.writer()

  /**
   * Whether sort keys may replace the strings in comparisons. Some ICU comparators disagree with ICU's
   * own keys, and then a query by keys would change its result.
   */
  def agreesWithComparator: Boolean = data.keysMatchComparator
}
