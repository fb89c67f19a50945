// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.trust

import java.util.Locale

import org.deltacollations.skipping.FileVerdict
import org.scalatest.funsuite.AnyFunSuite

class DamagedTextsSuite extends AnyFunSuite {

  private val cases = 800

  private val seed = 7L

  test(s"no damaged text breaks a law, takes long or fills the memory, seed $seed") {
    val runs = DamagedTexts.run(cases, seed)
    runs.foreach(run => info(run.toString))
    assert(runs.flatMap(_.broken) === Nil)
    assert(runs.map(_.cases).sum >= cases)
  }

  test("a reader that takes any damage for bounds is found out") {
    val careless = new DamageLaws(stats =>
      if (Option(stats).exists(_.toUpperCase(Locale.ROOT).contains("UFFFF")))
        FileVerdict.CannotMatch
      else DamageLaws.verdict(stats)
    )
    val found = DamagedTexts.run(200, seed, careless).flatMap(_.broken)
    assert(found.nonEmpty)
    assert(found.filterNot(_.startsWith("a file with a match is left out")) === Nil)
  }

  test("a reader that fails is found out, however it fails") {
    val failing = new DamageLaws(_ => throw new StackOverflowError)
    val found = DamagedTexts.run(8, seed, failing)
    assert(found.find(_.kind == "statistics").exists(run => run.broken.size == run.cases))
  }
}
