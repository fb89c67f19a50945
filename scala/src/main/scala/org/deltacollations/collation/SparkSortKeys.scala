// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import org.deltacollations.collation.sortkey.SortKeys

/** The keys of one of Spark's collations. Only the name travels; each JVM asks its own Spark. */
final case class SparkSortKeys(collation: String) extends CollationKeys {

  @transient private lazy val known = SparkOrder.known(collation)

  override def writer(): SortKeys#Writer = known.keys.writer()

  override def isUsable: Boolean = known.keysAreUsable
}
