// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.inspect

import org.deltacollations.protocol.{CollatedColumn, CollationId, FileGroup, FileTotals}
import org.scalatest.funsuite.AnyFunSuite

class ColumnStatusSuite extends AnyFunSuite {

  private val column =
    CollatedColumn(Seq("name"), Seq("name"), "icu.UNICODE_CI", 1, isInCollection = false)

  private val current = CollationId("icu", "UNICODE_CI", Some("78.3"))

  private def files(count: Long, versions: String*) =
    FileGroup(
      0,
      versions,
      needsNoBounds = false,
      canBeRelabeled = false,
      FileTotals(count, count * 10, count * 100)
    )

  private val onlyNulls =
    FileGroup(0, Nil, needsNoBounds = true, canBeRelabeled = false, FileTotals(1, 10, 100))

  private def rows(whyNotCollected: Option[String])(groups: FileGroup*): Seq[ColumnStatus] =
    ColumnStatus.of(column, Some(current), whyNotCollected, groups)

  private def status(groups: FileGroup*): String = rows(None)(groups: _*).head.status

  test("the status names the problem") {
    assert(status() === "healthy")
    assert(status(files(2, "78.3"), onlyNulls) === "healthy")
    assert(status(files(2, "77.1", "78.3")) === "healthy")
    assert(status(files(2), onlyNulls) === "missing: no file has statistics")
    assert(status(files(2, "77.1"), onlyNulls) === "stale: written by ICU 77.1, current is 78.3")
    assert(status(files(1, "100.1"), files(1, "9.2", "77.1")) ===
      "stale: written by ICU 9.2, 77.1 and 100.1, current is 78.3")
    assert(status(files(3, "78.3"), files(1, "77.1")) ===
      "partial: 1 of 4 files without statistics of ICU 78.3")
    assert(status(files(3), files(1, "77.1")) ===
      "partial: 4 of 4 files without statistics of ICU 78.3")
  }

  test("only the highest versions are listed when a log has too many") {
    val many = (1 to 1000).map(number => files(1, s"$number.1"))
    assert(rows(None)(many: _*).map(_.version.get) === "78.3" +: (985 to 1000).map(n => s"$n.1"))
    assert(status(many: _*).length < 300)
  }

  test("a column needs a refresh only if a refresh changes its status") {
    assert(rows(None)(files(1)).head.needsRefresh)
    assert(!rows(None)(files(1, "78.3")).head.needsRefresh)
    assert(!rows(Some("partition column"))(files(1)).head.needsRefresh)
    assert(rows(Some("partition column"))(files(1)).head.status ===
      "not collected: partition column")
    assert(!ColumnStatus.of(column, None, None, Seq(files(1))).head.needsRefresh)
  }

  test("every version has a row with the files that it covers") {
    val groups = Seq(files(1, "77.1"), files(2, "77.1", "78.3"), files(4), onlyNulls)
    val Seq(current, older) = rows(None)(groups: _*): @unchecked
    assert((current.version, current.isCurrent) === ((Some("78.3"), true)))
    assert(current.covered === FileTotals(3, 30, 300))
    assert(current.otherVersion === FileTotals(1, 10, 100))
    assert(current.missing === FileTotals(4, 40, 400))
    assert(current.inTable.files === 8)
    assert((older.version, older.isCurrent) === ((Some("77.1"), false)))
    assert(older.status === "not used: written by ICU 77.1, current is 78.3")
    assert(older.covered === FileTotals(4, 40, 400))
    assert(!older.needsRefresh)
  }

  test("relabeled and read files add up to the files without current bounds") {
    val proven = files(2, "77.1").copy(canBeRelabeled = true)
    val Seq(current, older) =
      rows(None)(proven, files(1, "77.1"), files(4), onlyNulls): @unchecked
    assert(current.relabeled === FileTotals(2, 20, 200))
    assert(current.read === FileTotals(5, 50, 500))
    assert((older.relabeled, older.read) === ((FileTotals.Zero, FileTotals.Zero)))
    val Seq(notCollected, _) = rows(Some("partition column"))(proven): @unchecked
    assert((notCollected.relabeled, notCollected.read) === ((FileTotals.Zero, FileTotals.Zero)))
  }
}
