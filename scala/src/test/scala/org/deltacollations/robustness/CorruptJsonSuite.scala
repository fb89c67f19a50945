// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.robustness

import java.util.Locale

import org.deltacollations.delta.scan.PredicateResult
import org.scalatest.funsuite.AnyFunSuite

class CorruptJsonSuite extends AnyFunSuite {

  private val cases = 800

  private val seed = 7L

  test(s"no damaged text breaks a law, takes long or fills the memory, seed $seed") {
    val runs = CorruptJson.run(cases, seed)
    runs.foreach(run => info(run.toString))
    assert(runs.flatMap(_.broken) === Nil)
    assert(runs.map(_.cases).sum >= cases)
  }

  test("a reader that takes any damage for bounds is found out") {
    val careless = new CorruptJsonChecks(stats =>
      if (Option(stats).exists(_.toUpperCase(Locale.ROOT).contains("UFFFF")))
        PredicateResult.CannotMatch
      else CorruptJsonChecks.verdict(stats)
    )
    val found = CorruptJson.run(200, seed, careless).flatMap(_.broken)
    assert(found.nonEmpty)
    assert(found.filterNot(_.startsWith("a file with a match is left out")) === Nil)
  }

  test("a reader that fails is found out, however it fails") {
    val failing = new CorruptJsonChecks(_ => throw new StackOverflowError)
    val found = CorruptJson.run(8, seed, failing)
    assert(found.find(_.kind == "statistics").exists(run => run.broken.size == run.cases))
  }
}
