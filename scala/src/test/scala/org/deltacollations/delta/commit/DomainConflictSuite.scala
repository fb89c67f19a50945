// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.commit

import org.apache.spark.sql.delta.actions.DomainMetadata

import org.deltacollations.patch.HookCall
import org.scalatest.funsuite.AnyFunSuite

class DomainConflictSuite extends AnyFunSuite {

  private val current = DomainMetadata("collations", listing("78.3"), removed = false)
  private val committed = DomainMetadata("collations", listing("77.1"), removed = false)

  test("both lists are merged, and Delta sees no conflict") {
    assert(merge(current, committed) === current.copy(configuration = listing("77.1", "78.3")))
    assert(visible(current, committed) === Map.empty)
  }

  test("the current domain is unchanged when no other commit has the domain") {
    assert(merge(current) === current)
  }

  test("a removal is kept when another commit lists versions") {
    val removal = current.copy(removed = true)
    assert(merge(removal, committed) === removal)
    assert(visible(removal, committed) === Map.empty)
  }

  test("the configuration of a removed domain is ignored") {
    assert(merge(current, committed.copy(removed = true)) === current)
  }

  test("an invalid list of another commit is ignored") {
    assert(merge(current, committed.copy(configuration = "{")) === current)
  }

  test("Delta resolves conflicts of other domains") {
    val other = DomainMetadata("delta.clustering", "{}", removed = false)
    val clash = other.copy(configuration = "{\"a\":1}")
    assert(merge(other, clash, committed) === other)
    assert(visible(other, clash, committed) === Map(clash.domain -> clash))
  }

  private def listing(versions: String*): String =
    versions.mkString("""{"writeVersions":{"icu.UNICODE":["""", """","""", """"]}}""")

  private def merge(current: DomainMetadata, committed: DomainMetadata*): Any =
    DomainConflict.merging.replace(call(current, current, committed))

  private def visible(current: DomainMetadata, committed: DomainMetadata*): Any = {
    val map = committed.map(action => action.domain -> action).toMap
    DomainConflict.hiding.replace(call(map, current, committed))
  }

  /** A call of Delta's method with the current domain and the committed ones by their names. */
  private def call(value: AnyRef, current: DomainMetadata, committed: Seq[DomainMetadata]) = {
    val byDomain = committed.map(action => action.domain -> action).toMap
    HookCall(value, receiver = null, IndexedSeq(current, byDomain))
  }
}
