// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import org.deltacollations.collation.search.CollatedSearch

/** How a collation finds a string in another. Executors get it with the task, so it is small. */
trait CollationSearch extends Serializable {

  /** One for each task: a searcher is not thread-safe, and remembers the pattern it had last. */
  def searcher(): CollatedSearch#Searcher
}
