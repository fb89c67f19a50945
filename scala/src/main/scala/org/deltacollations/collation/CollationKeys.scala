// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import org.deltacollations.collation.sortkey.SortKeys

/** The binary keys of a collation. Executors get it with the task, so it is small when serialised. */
trait CollationKeys extends Serializable {

  /** One for each task: a writer is not thread-safe. */
  def writer(): SortKeys#Writer

  /**
   * Whether keys may stand for the strings. Not every comparator of ICU agrees with its own keys, and
   * a query must not change its answer where it does not.
   */
  def isUsable: Boolean
}
