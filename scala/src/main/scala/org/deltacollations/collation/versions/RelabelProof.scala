// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions

import org.deltacollations.collation.unicode.CodePointSet
import org.deltacollations.protocol.RelabelCandidate

/** Proves that bounds of one ICU version are valid under another. */
object RelabelProof {

  /**
   * Whether the strings that were compared are free of code points that the two versions may order
   * differently. These are the values of the column and the bounds, which may contain other code points
   * where they were truncated.
   *
   * @param codePoints
   *   the code points of the column, if its file lists them
   */
  def isProven(candidate: RelabelCandidate, codePoints: => Option[CodePointSet]): Boolean =
    IcuOrderChanges.shipped.changedCodePoints(candidate.to, candidate.from).exists { changed =>
      changed.isEmpty ||
      (!candidate.bounds.exists(changed.containsAnyOf) &&
        codePoints.exists(!_.intersects(changed)))
    }
}
