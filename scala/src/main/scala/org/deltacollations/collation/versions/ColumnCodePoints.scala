// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions

import org.deltacollations.collation.unicode.{CodePointBlocks, CodePointSet}
import org.deltacollations.protocol.CodePointTag

/** The code points that the columns of a file contain, as far as the tags of the file list them. */
final class ColumnCodePoints private (encoded: Map[String, String]) {

  /**
   * Returns a superset of the code points in the values of a column; it is empty for a column of
   * nulls. Returns `None` if the tag is missing or malformed.
   *
   * The bounds of the column may come from a row that was deleted before the tag was written, so
   * callers must check the code points of the bounds too.
   *
   * @param column
   *   physical column names
   */
  def of(column: Seq[String]): Option[CodePointSet] =
    encoded.get(CodePointTag.key(column)).flatMap(CodePointBlocks.parse)
}

object ColumnCodePoints {

  /** @param tags of an `add` action, or null if it does not have any */
  def apply(tags: Map[String, String]): ColumnCodePoints =
    new ColumnCodePoints(CodePointTag.read(tags))
}
