// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.correctness

import org.scalatest.funsuite.AnyFunSuite

class CorrectnessFixSuite extends AnyFunSuite {

  test("a fix is needed for Spark versions before fixedIn") {
    val needed = Seq("4.0.1", "4.2.0", "4.2.9", "4.3.0", "4.10.1", "5.0.0-preview1")
      .filter(BlockEqualityInference.isNeeded)
    assert(needed === Seq("4.0.1", "4.2.0", "4.2.9"))
  }

  test("a fix without fixedIn is needed for all Spark versions") {
    assert(WindowByCollationKey.isNeeded("99.0.0"))
  }
}
