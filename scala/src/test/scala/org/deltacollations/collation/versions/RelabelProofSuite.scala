// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions

import org.deltacollations.collation.unicode.CodePointSet
import org.deltacollations.protocol.{CollationId, RelabelCandidate}
import org.scalatest.funsuite.AnyFunSuite

class RelabelProofSuite extends AnyFunSuite {

  private def holds(from: String, to: String, held: Option[String], bounds: String*): Boolean = {
    val id = CollationId("icu", "UNICODE_CI", Some(to))
    val claim = RelabelCandidate(Seq("name"), id.copy(version = Some(from)), id, bounds)
    RelabelProof.holds(claim, held.map(CodePointSet.parse(_).get))
  }

  private val latin = Some("20-17f")

  test("where nothing changed, nothing has to be known of a file") {
    assert(holds("76.1", "77.1", None, "a", "\uffff"))
  }

  test("where something changed, a file without such characters is as it was") {
    assert(holds("77.1", "78.3", latin, "a", "z"))
    assert(holds("77.1", "78.3", latin, "a", "z\uffff"))
    assert(holds("77.1", "78.3", Some(""), "a", "z\udbff\udfff"))
    assert(holds("75.1", "78.3", latin, "a", "z"))
  }

  test("a file with such characters, or of which nothing is known, has to be read") {
    assert(!holds("77.1", "78.3", Some("20-17f 52b0-52bf"), "a", "z"))
    assert(!holds("77.1", "78.3", None, "a", "z"))
  }

  test("bounds count as well, since they may be those of a row that is gone") {
    assert(!holds("77.1", "78.3", latin, "a", "\u52b3"))
  }

  test("versions that no certificate names prove nothing") {
    assert(!holds("74.1", "78.3", latin, "a", "z"))
    assert(!holds("77.1", "78.3.1", latin, "a", "z"))
  }
}
