// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions

import org.deltacollations.collation.unicode.{CodePointBlocks, CodePointSet}
import org.deltacollations.protocol.CodePointTag

/** Which characters the columns of a file hold, as far as its tags say so. */
final class ColumnCodePoints private (texts: Map[String, String]) {

  /**
   * All characters of the values of a column, and maybe some more; none for a column of nulls.
   * Nothing is known of a column if the writer did not say, or if what it said is damaged.
   *
   * Bounds may be those of a row that was deleted before this was collected. So what they hold
   * must be looked at beside it.
   *
   * @param column
   *   by the names that the files have for it
   */
  def of(column: Seq[String]): Option[CodePointSet] =
    texts.get(CodePointTag.key(column)).flatMap(CodePointBlocks.parse)
}

object ColumnCodePoints {

  /** @param tags of an `add` action, or null if it has none */
  def apply(tags: Map[String, String]): ColumnCodePoints =
    new ColumnCodePoints(CodePointTag.read(tags))
}
