// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions

import org.deltacollations.collation.unicode.CodePointSet
import org.deltacollations.protocol.RelabelCandidate

/** Which claims about bounds are proven, by certificates and by the characters that a file holds. */
object RelabelProof {

  /**
   * Whether all strings that are compared have none of the characters that the two versions may order
   * differently: the values of the column, and the bounds, which may have more at their end.
   *
   * @param held
   *   the characters in the column, if they are known
   */
  def holds(claim: RelabelCandidate, held: => Option[CodePointSet]): Boolean =
    IcuOrderChanges.shipped.affected(claim.wanted, claim.found).exists { affected =>
      affected.isEmpty ||
      (!claim.bounds.exists(affected.holdsAnyOf) && held.exists(!_.intersects(affected)))
    }
}
