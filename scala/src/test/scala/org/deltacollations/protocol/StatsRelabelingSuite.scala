// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import org.scalatest.funsuite.AnyFunSuite

class StatsRelabelingSuite extends AnyFunSuite {

  private val wanted = CollationId("icu", "UNICODE_CI", Some("78.3"))

  private def added(stats: String, holds: RelabelCandidate => Boolean = _ => true): String =
    StatsRelabeling.added(stats, Seq(wanted -> Seq("a", "b")))(holds)

  private def stats(keys: (String, String)*): String =
    keys.map { case (key, bounds) => s""""icu.UNICODE_CI.$key":$bounds""" }
      .mkString("""{"numRecords":1,"statsWithCollation":{""", ",", "}}")

  private val both = """{"minValues":{"a":{"b":"x"}},"maxValues":{"a":{"b":"y"}}}"""

  test("bounds get the name of another version beside their own") {
    assert(added(stats("77.1" -> both)) === stats("77.1" -> both, "78.3" -> both))
  }

  test("what is claimed is what is copied") {
    added(
      stats("77.1" -> both),
      claim => {
        assert(claim.found.version === Some("77.1"))
        assert((claim.wanted, claim.column) === ((wanted, Seq("a", "b"))))
        assert(claim.bounds === Seq("x", "y"))
        true
      }
    )
  }

  test("a claim that does not hold changes no letter") {
    val text = stats("77.1" -> both) + " "
    assert(added(text, _ => false) === text)
  }

  test("bounds of the running version stay") {
    val known = stats("77.1" -> both, "78.3" -> """{"maxValues":{"a":{"b":"z"}}}""")
    assert(added(known) === known)
  }

  test("both bounds are better than one, and one better than none") {
    val one = """{"maxValues":{"a":{"b":"z"}}}"""
    assert(added(stats("76.1" -> one, "77.1" -> both)) ===
      stats("76.1" -> one, "77.1" -> both, "78.3" -> both))
    assert(added(stats("76.1" -> one)) === stats("76.1" -> one, "78.3" -> one))
  }

  test("the spelling of others is of no matter, their collations and columns are") {
    val other = s"""{"statsWithCollation":{"ICU.unicode_ci.75.1":$both}}"""
    assert(added(other).contains(s""""$wanted":$both"""))
    for (key <- Seq("icu.UNICODE.77.1", "icu.UNICODE_CI", "spark.UNICODE_CI.77.1")) {
      val text = s"""{"statsWithCollation":{"$key":$both}}"""
      assert(added(text) === text)
    }
    val elsewhere = stats("77.1" -> """{"minValues":{"b":"x"}}""")
    assert(added(elsewhere) === elsewhere)
  }

  test("what is damaged stays as it is") {
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
    } assert(added(text) === text)
  }
}
