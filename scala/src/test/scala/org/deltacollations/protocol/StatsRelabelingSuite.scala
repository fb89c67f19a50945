// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import org.scalatest.funsuite.AnyFunSuite

class StatsRelabelingSuite extends AnyFunSuite {

  private val current = CollationId("icu", "UNICODE_CI", Some("78.3"))

  private def relabeled(stats: String, isValid: RelabelCandidate => Boolean = _ => true): String =
    StatsRelabeling.relabeled(stats, Seq(current -> Seq("a", "b")))(isValid)

  private def stats(keys: (String, String)*): String =
    keys.map { case (key, bounds) => s""""icu.UNICODE_CI.$key":$bounds""" }
      .mkString("""{"numRecords":1,"statsWithCollation":{""", ",", "}}")

  private val both = """{"minValues":{"a":{"b":"x"}},"maxValues":{"a":{"b":"y"}}}"""

  test("relabeled copies bounds to the current version") {
    assert(relabeled(stats("77.1" -> both)) === stats("77.1" -> both, "78.3" -> both))
  }

  test("the candidate describes the copied bounds") {
    relabeled(
      stats("77.1" -> both),
      candidate => {
        assert(candidate.from.version === Some("77.1"))
        assert((candidate.to, candidate.column) === ((current, Seq("a", "b"))))
        assert(candidate.bounds === Seq("x", "y"))
        true
      }
    )
  }

  test("invalid candidates leave the statistics unchanged byte for byte") {
    val text = stats("77.1" -> both) + " "
    assert(relabeled(text, _ => false) === text)
  }

  test("relabeled keeps existing bounds of the current version") {
    val existing = stats("77.1" -> both, "78.3" -> """{"maxValues":{"a":{"b":"z"}}}""")
    assert(relabeled(existing) === existing)
  }

  test("relabeled prefers versions with both bounds, but copies a single one too") {
    val one = """{"maxValues":{"a":{"b":"z"}}}"""
    assert(relabeled(stats("76.1" -> one, "77.1" -> both)) ===
      stats("76.1" -> one, "77.1" -> both, "78.3" -> both))
    assert(relabeled(stats("76.1" -> one)) === stats("76.1" -> one, "78.3" -> one))
  }

  test("relabeled accepts other spellings, but no other collations or columns") {
    val other = s"""{"statsWithCollation":{"ICU.unicode_ci.75.1":$both}}"""
    assert(relabeled(other).contains(s""""$current":$both"""))
    for (key <- Seq("icu.UNICODE.77.1", "icu.UNICODE_CI", "spark.UNICODE_CI.77.1")) {
      val text = s"""{"statsWithCollation":{"$key":$both}}"""
      assert(relabeled(text) === text)
    }
    val otherColumn = stats("77.1" -> """{"minValues":{"b":"x"}}""")
    assert(relabeled(otherColumn) === otherColumn)
  }

  test("relabeled leaves malformed statistics unchanged") {
    for {
      text <- Seq(
        null,
        "",
        "{",
        """{"statsWithCollation":7}""",
        stats("77.1" -> """{"minValues":{"a":{"b":7}}}"""),
        stats("77.1" -> both, "78.3" -> "7"),
        stats("77.1" -> both, "78.3" -> """{"minValues":7,"maxValues":[]}""")
      )
    } assert(relabeled(text) === text)
  }
}
