// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.robustness

import java.util.Locale

import org.deltacollations.delta.scan.PredicateResult
import org.scalatest.funsuite.AnyFunSuite

class CorruptJsonSuite extends AnyFunSuite {

  private val cases = 800

  private val seed = 7L

  test(s"corrupt JSON passes all checks within the limits of time and memory, seed $seed") {
    val results = CorruptJson.run(cases, seed)
    results.foreach(result => info(result.toString))
    assert(results.flatMap(_.failures) === Nil)
    assert(results.map(_.cases).sum >= cases)
  }

  test("the checks detect a reader that uses corrupt bounds") {
    val lenient = new CorruptJsonChecks(stats =>
      if (Option(stats).exists(_.toUpperCase(Locale.ROOT).contains("UFFFF")))
        PredicateResult.CannotMatch
      else CorruptJsonChecks.evaluate(stats)
    )
    val found = CorruptJson.run(200, seed, lenient).flatMap(_.failures)
    assert(found.nonEmpty)
    assert(found.filterNot(_.startsWith("a file with a match is skipped")) === Nil)
  }

  test("the checks detect a reader that throws") {
    val failing = new CorruptJsonChecks(_ => throw new StackOverflowError)
    val found = CorruptJson.run(8, seed, failing)
    assert(found.find(_.kind == "statistics").exists(result =>
      result.failures.size == result.cases
    ))
  }
}
