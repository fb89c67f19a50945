// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.commit

import org.apache.spark.sql.delta.actions.DomainMetadata

import org.deltacollations.delta.patch.HookCall
import org.scalatest.funsuite.AnyFunSuite

class DomainConflictSuite extends AnyFunSuite {

  private val ours = DomainMetadata("collations", listing("78.3"), removed = false)
  private val theirs = DomainMetadata("collations", listing("77.1"), removed = false)

  test("both lists become one, and Delta sees no conflict") {
    assert(merged(ours, theirs) === ours.copy(configuration = listing("77.1", "78.3")))
    assert(winners(ours, theirs) === Map.empty)
  }

  test("where nobody else listed anything, ours is committed as it is") {
    assert(merged(ours) === ours)
  }

  test("our removal stands, whatever was listed meanwhile") {
    val removal = ours.copy(removed = true)
    assert(merged(removal, theirs) === removal)
    assert(winners(removal, theirs) === Map.empty)
  }

  test("what others left behind at a removal is no list") {
    assert(merged(ours, theirs.copy(removed = true)) === ours)
  }

  test("a list that cannot be read does not keep us from committing ours") {
    assert(merged(ours, theirs.copy(configuration = "{")) === ours)
  }

  test("domains of others are left to Delta") {
    val other = DomainMetadata("delta.clustering", "{}", removed = false)
    val clash = other.copy(configuration = "{\"a\":1}")
    assert(merged(other, clash, theirs) === other)
    assert(winners(other, clash, theirs) === Map(clash.domain -> clash))
  }

  private def listing(versions: String*): String =
    versions.mkString("""{"writeVersions":{"icu.UNICODE":["""", """","""", """"]}}""")

  private def merged(current: DomainMetadata, committed: DomainMetadata*): Any =
    DomainConflict.merging.replace(call(current, current, committed))

  private def winners(current: DomainMetadata, committed: DomainMetadata*): Any = {
    val map = committed.map(action => action.domain -> action).toMap
    DomainConflict.hiding.replace(call(map, current, committed))
  }

  /** As Delta's method is called: what we want to commit, and by domain what others committed. */
  private def call(value: AnyRef, current: DomainMetadata, committed: Seq[DomainMetadata]) = {
    val byDomain = committed.map(action => action.domain -> action).toMap
    HookCall(value, receiver = null, IndexedSeq(current, byDomain))
  }
}
