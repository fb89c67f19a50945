// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions

import org.deltacollations.collation.unicode.CodePointSet
import org.deltacollations.protocol.{CollationId, RelabelCandidate}
import org.scalatest.funsuite.AnyFunSuite

class RelabelProofSuite extends AnyFunSuite {

  private def isProven(
      from: String,
      to: String,
      codePoints: Option[String],
      bounds: String*
  ): Boolean = {
    val id = CollationId("icu", "UNICODE_CI", Some(to))
    val candidate = RelabelCandidate(Seq("name"), id.copy(version = Some(from)), id, bounds)
    RelabelProof.isProven(candidate, codePoints.map(CodePointSet.parse(_).get))
  }

  private val latin = Some("20-17f")

  test("bounds are proven without code points of the file if the order is unchanged") {
    assert(isProven("76.1", "77.1", None, "a", "\uffff"))
  }

  test("bounds are proven for a file without changed code points") {
    assert(isProven("77.1", "78.3", latin, "a", "z"))
    assert(isProven("77.1", "78.3", latin, "a", "z\uffff"))
    assert(isProven("77.1", "78.3", Some(""), "a", "z\udbff\udfff"))
    assert(isProven("75.1", "78.3", latin, "a", "z"))
  }

  test("bounds are not proven for a file with changed or unknown code points") {
    assert(!isProven("77.1", "78.3", Some("20-17f 52b0-52bf"), "a", "z"))
    assert(!isProven("77.1", "78.3", None, "a", "z"))
  }

  test("bounds with changed code points are not proven: they may come from a deleted row") {
    assert(!isProven("77.1", "78.3", latin, "a", "\u52b3"))
  }

  test("bounds of versions that are not listed are not proven") {
    assert(!isProven("74.1", "78.3", latin, "a", "z"))
    assert(!isProven("77.1", "78.3.1", latin, "a", "z"))
  }
}
