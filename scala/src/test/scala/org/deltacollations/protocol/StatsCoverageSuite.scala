// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import org.scalatest.funsuite.AnyFunSuite

class StatsCoverageSuite extends AnyFunSuite {

  private val id = CollationId("icu", "UNICODE_CI", Some("78.3"))

  private def covered(stats: String, path: String*): CoveredFiles = {
    val Seq(found) = StatsCoverage.of(Iterator(stats -> 10L), Seq(id -> path)): @unchecked
    found
  }

  private def bounds(key: String, min: String = """{"a":{"b":"x"}}""") =
    s"""{"numRecords":2,"statsWithCollation":{"$key":{"minValues":$min}}}"""

  test("one bound is enough, in any spelling of the collation, and of every version") {
    for (key <- Seq("icu.UNICODE_CI.78.3", "ICU.unicode_ci.78.3"))
      assert(covered(bounds(key), "a", "b").versions === Seq("78.3"))
    assert(covered(bounds("icu.UNICODE_CI.9.1.2"), "a", "b").versions === Seq("9.1.2"))
  }

  test("bounds of other columns, other collations or no text do not count") {
    assert(covered(bounds("icu.UNICODE_CI.78.3"), "a", "c").versions === Nil)
    assert(covered(bounds("icu.UNICODE.78.3"), "a", "b").versions === Nil)
    assert(covered(bounds("icu.UNICODE_CI"), "a", "b").versions === Nil)
    assert(covered(bounds("icu.UNICODE_CI.78.3", """{"a":{"b":7}}"""), "a", "b").versions === Nil)
  }

  test("files without rows and columns of nulls need none") {
    assert(covered("""{"numRecords":0}""", "a").needsNone)
    assert(covered("""{"numRecords":2,"nullCount":{"a":2}}""", "a").needsNone)
    assert(!covered("""{"numRecords":2,"nullCount":{"a":1}}""", "a").needsNone)
    assert(!covered("""{"nullCount":{"a":0}}""", "a").needsNone)
  }

  test("text that is no statistics is a file of which nothing is known") {
    for (stats <- Seq(null, "", "{", "7", "[]"))
      assert(covered(stats, "a") === CoveredFiles(0, Nil, needsNone = false, Extent(1, 0, 10)))
  }

  test("a file with a hundred thousand versions keeps few, and the one that runs") {
    val keys = (1 to 100000).map(i => s""""icu.UNICODE_CI.$i":{"minValues":{"a":"x"}}""")
    val stats = s"""{"statsWithCollation":{${keys.mkString(",")},
      "icu.UNICODE_CI.78.3":{"maxValues":{"a":"x"}}}}"""
    val found = covered(stats, "a").versions
    assert(found.size === 16)
    assert(found.contains("78.3"))
  }

  test("files that are alike are summed up") {
    val files = Iterator.fill(3)(bounds("icu.UNICODE_CI.78.3") -> 10L) ++ Iterator("{}" -> 1L)
    val found = StatsCoverage.of(files, Seq(id -> Seq("a", "b")))
    assert(found.toSet === Set(
      CoveredFiles(0, Seq("78.3"), needsNone = false, Extent(3, 6, 30)),
      CoveredFiles(0, Nil, needsNone = false, Extent(1, 0, 1))
    ))
  }
}
