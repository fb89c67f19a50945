// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import org.deltacollations.delta.inspect.FileTotals
import org.scalatest.funsuite.AnyFunSuite

class StatsCoverageSuite extends AnyFunSuite {

  private val id = CollationId("icu", "UNICODE_CI", Some("78.3"))

  private def covered(stats: String, path: String*): FileGroup = {
    val Seq(found) = StatsCoverage.of(Iterator(file(stats, 10)), Seq(id -> path)): @unchecked
    found
  }

  private def file(stats: String, size: Long) = FileStats(stats, size, isRelabelled = false)

  private def kind(versions: Seq[String], extent: FileTotals) =
    FileGroup(0, versions, needsNone = false, isRelabelled = false, extent)

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
      assert(covered(stats, "a") === kind(Nil, FileTotals(1, 0, 10)))
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
    val files = Iterator.fill(3)(file(bounds("icu.UNICODE_CI.78.3"), 10)) ++ Iterator(file("{}", 1))
    val found = StatsCoverage.of(files, Seq(id -> Seq("a", "b")))
    assert(found.toSet === Set(
      kind(Seq("78.3"), FileTotals(3, 6, 30)),
      kind(Nil, FileTotals(1, 0, 1))
    ))
  }

  test("files that a refresh would not read are counted apart") {
    val files = Seq(file("{}", 1), file("{}", 2).copy(isRelabelled = true))
    val found = StatsCoverage.of(files.iterator, Seq(id -> Seq("a")))
    assert(found.map(kind => kind.isRelabelled -> kind.extent.bytes).toMap ===
      Map(false -> 1, true -> 2))
  }
}
