// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta

import org.scalatest.funsuite.AnyFunSuite

class StatsRefreshSuite extends AnyFunSuite {

  private def gibibytes(sizes: Long*): Seq[(String, Long)] =
    sizes.zipWithIndex.map { case (size, number) => s"part-$number" -> (size << 30) }

  test("no file makes no batch") {
    assert(StatsRefresh.batches(Nil) === Nil)
  }

  test("a batch is cut by the size of its files, and keeps their order") {
    val files = gibibytes(60, 40, 1, 500, 99, 2)
    assert(StatsRefresh.batches(files).map(_.map(_._2 >> 30)) ===
      Seq(Seq(60, 40), Seq(1), Seq(500), Seq(99), Seq(2)))
    assert(StatsRefresh.batches(files).flatten === files)
  }

  test("a batch is cut by the number of its files") {
    val files = (1 to 20001).map(number => s"part-$number" -> 1L)
    assert(StatsRefresh.batches(files).map(_.size) === Seq(10000, 10000, 1))
    assert(StatsRefresh.batches(files).flatten === files)
  }
}
