// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.versions

import org.deltacollations.protocol.VersionClaim

/** Which claims about bounds are proven, by certificates and by the characters that a file holds. */
object ProvenClaims {

  /**
   * Whether all strings that are compared have none of the characters that the two versions may order
   * differently: the values of the column, and the bounds, which may have more at their end.
   *
   * @param held
   *   the characters in the column, if they are known
   */
  def holds(claim: VersionClaim, held: => Option[CodePoints]): Boolean =
    Certificates.shipped.affected(claim.wanted, claim.found).exists { affected =>
      affected.isEmpty ||
      (!claim.bounds.exists(affected.holdsAnyOf) && held.exists(!_.intersects(affected)))
    }
}
