// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import org.scalatest.funsuite.AnyFunSuite

class StatsCoverageSuite extends AnyFunSuite {

  private val id = CollationId("icu", "UNICODE_CI", Some("78.3"))

  private def group(stats: String, path: String*): FileGroup = {
    val Seq(found) = StatsCoverage.of(Iterator(file(stats, 10)), Seq(id -> path)): @unchecked
    found
  }

  private def file(stats: String, size: Long) = FileStats(stats, size, () => false)

  private def expected(versions: Seq[String], totals: FileTotals) =
    FileGroup(0, versions, needsNoBounds = false, canBeRelabeled = false, totals)

  private def bounds(key: String, min: String = """{"a":{"b":"x"}}""") =
    s"""{"numRecords":2,"statsWithCollation":{"$key":{"minValues":$min}}}"""

  test("one bound counts, in any spelling of the collation and for every version") {
    for (key <- Seq("icu.UNICODE_CI.78.3", "ICU.unicode_ci.78.3"))
      assert(group(bounds(key), "a", "b").versions === Seq("78.3"))
    assert(group(bounds("icu.UNICODE_CI.9.1.2"), "a", "b").versions === Seq("9.1.2"))
  }

  test("bounds of other columns or collations, and those that are not strings, do not count") {
    assert(group(bounds("icu.UNICODE_CI.78.3"), "a", "c").versions === Nil)
    assert(group(bounds("icu.UNICODE.78.3"), "a", "b").versions === Nil)
    assert(group(bounds("icu.UNICODE_CI"), "a", "b").versions === Nil)
    assert(group(bounds("icu.UNICODE_CI.78.3", """{"a":{"b":7}}"""), "a", "b").versions === Nil)
  }

  test("files without rows and columns with only nulls need no bounds") {
    assert(group("""{"numRecords":0}""", "a").needsNoBounds)
    assert(group("""{"numRecords":2,"nullCount":{"a":2}}""", "a").needsNoBounds)
    assert(!group("""{"numRecords":2,"nullCount":{"a":1}}""", "a").needsNoBounds)
    assert(!group("""{"nullCount":{"a":0}}""", "a").needsNoBounds)
  }

  test("a file with malformed statistics has no bounds and no rows") {
    for (stats <- Seq(null, "", "{", "7", "[]"))
      assert(group(stats, "a") === expected(Nil, FileTotals(1, 0, 10)))
  }

  test("the number of versions per file is limited, but the requested one is kept") {
    val keys = (1 to 100000).map(i => s""""icu.UNICODE_CI.$i":{"minValues":{"a":"x"}}""")
    val stats = s"""{"statsWithCollation":{${keys.mkString(",")},
      "icu.UNICODE_CI.78.3":{"maxValues":{"a":"x"}}}}"""
    val found = group(stats, "a").versions
    assert(found.size === 16)
    assert(found.contains("78.3"))
  }

  test("equal groups are added up") {
    val files = Iterator.fill(3)(file(bounds("icu.UNICODE_CI.78.3"), 10)) ++ Iterator(file("{}", 1))
    val found = StatsCoverage.of(files, Seq(id -> Seq("a", "b")))
    assert(found.toSet === Set(
      expected(Seq("78.3"), FileTotals(3, 6, 30)),
      expected(Nil, FileTotals(1, 0, 1))
    ))
  }

  test("files that can be relabeled are a separate group") {
    val files = Seq(file("{}", 1), file("{}", 2).copy(canBeRelabeled = () => true))
    val found = StatsCoverage.of(files.iterator, Seq(id -> Seq("a")))
    assert(found.map(group => group.canBeRelabeled -> group.totals.bytes).toMap ===
      Map(false -> 1, true -> 2))
  }

  test("whether a file can be relabeled is not computed if no bounds are missing") {
    def unexpected(): Boolean = fail("no bounds are missing")
    for (stats <- Seq(bounds("icu.UNICODE_CI.78.3"), """{"numRecords":0}""")) {
      val files = Iterator(FileStats(stats, 1, () => unexpected()))
      val Seq(found) = StatsCoverage.of(files, Seq(id -> Seq("a", "b"))): @unchecked
      assert(!found.canBeRelabeled)
    }
  }
}
