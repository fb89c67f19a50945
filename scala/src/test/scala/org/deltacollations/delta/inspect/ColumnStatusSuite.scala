// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.inspect

import org.deltacollations.protocol.{CollatedColumn, FileGroup, FileTotals}
import org.scalatest.funsuite.AnyFunSuite

class ColumnStatusSuite extends AnyFunSuite {

  private val column =
    CollatedColumn(Seq("name"), Seq("name"), "icu.UNICODE_CI", 1, isInCollection = false)

  private def files(count: Long, versions: String*) =
    FileGroup(
      0,
      versions,
      needsNoBounds = false,
      canBeRelabeled = false,
      FileTotals(count, count * 10, count * 100)
    )

  private val nulls =
    FileGroup(0, Nil, needsNoBounds = true, canBeRelabeled = false, FileTotals(1, 10, 100))

  private def rows(obstacle: Option[String])(found: FileGroup*): Seq[ColumnStatus] =
    ColumnStatus.of(column, Some("78.3"), obstacle, found)

  private def verdict(found: FileGroup*): String = rows(None)(found: _*).head.verdict

  test("the verdict says what is the matter") {
    assert(verdict() === "healthy")
    assert(verdict(files(2, "78.3"), nulls) === "healthy")
    assert(verdict(files(2, "77.1", "78.3")) === "healthy")
    assert(verdict(files(2), nulls) === "missing: no file has statistics")
    assert(verdict(files(2, "77.1"), nulls) === "stale: written by ICU 77.1, current is 78.3")
    assert(verdict(files(1, "100.1"), files(1, "9.2", "77.1")) ===
      "stale: written by ICU 9.2, 77.1 and 100.1, current is 78.3")
    assert(verdict(files(3, "78.3"), files(1, "77.1")) ===
      "partial: 1 of 4 files without statistics of ICU 78.3")
    assert(verdict(files(3), files(1, "77.1")) ===
      "partial: 4 of 4 files without statistics of ICU 78.3")
  }

  test("of more versions than there can be, the newest are told") {
    val many = (1 to 1000).map(number => files(1, s"$number.1"))
    assert(rows(None)(many: _*).map(_.version.get) === "78.3" +: (985 to 1000).map(n => s"$n.1"))
    assert(verdict(many: _*).length < 300)
  }

  test("only what collecting would mend needs a refresh") {
    assert(rows(None)(files(1)).head.needsRefresh)
    assert(!rows(None)(files(1, "78.3")).head.needsRefresh)
    assert(!rows(Some("partition column"))(files(1)).head.needsRefresh)
    assert(rows(Some("partition column"))(files(1)).head.verdict ===
      "not collected: partition column")
    assert(!ColumnStatus.of(column, None, None, Seq(files(1))).head.needsRefresh)
  }

  test("every version has a row with what it covers") {
    val found = Seq(files(1, "77.1"), files(2, "77.1", "78.3"), files(4), nulls)
    val Seq(running, older) = rows(None)(found: _*): @unchecked
    assert((running.version, running.isRunning) === ((Some("78.3"), true)))
    assert(running.covered === FileTotals(3, 30, 300))
    assert(running.otherVersion === FileTotals(1, 10, 100))
    assert(running.missing === FileTotals(4, 40, 400))
    assert(running.inTable.files === 8)
    assert((older.version, older.isRunning) === ((Some("77.1"), false)))
    assert(older.verdict === "not used: written by ICU 77.1, current is 78.3")
    assert(older.covered === FileTotals(4, 40, 400))
    assert(!older.needsRefresh)
  }

  test("what a refresh would relabel and what it would read add up to what is lacking") {
    val proven = files(2, "77.1").copy(canBeRelabeled = true)
    val Seq(running, older) = rows(None)(proven, files(1, "77.1"), files(4), nulls): @unchecked
    assert(running.relabeled === FileTotals(2, 20, 200))
    assert(running.read === FileTotals(5, 50, 500))
    assert((older.relabeled, older.read) === ((FileTotals.Zero, FileTotals.Zero)))
    val Seq(obstructed, _) = rows(Some("partition column"))(proven): @unchecked
    assert((obstructed.relabeled, obstructed.read) === ((FileTotals.Zero, FileTotals.Zero)))
  }
}
