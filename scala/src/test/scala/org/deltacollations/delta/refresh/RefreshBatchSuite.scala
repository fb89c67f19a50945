// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.refresh

import org.scalatest.funsuite.AnyFunSuite

class RefreshBatchSuite extends AnyFunSuite {

  private def cut(files: Iterator[(String, Long)]): Seq[RefreshBatch] =
    RefreshBatch.cut(files.map { case (path, size) => (true, path, size) }).toSeq

  test("no file makes no batch") {
    assert(cut(Iterator.empty) === Nil)
  }

  test("a batch is cut by the size of its files, and keeps their order") {
    val files = Iterator("a" -> 60L, "b" -> 40L, "c" -> 1L, "d" -> 500L, "e" -> 99L, "f" -> 2L)
    assert(cut(files.map { case (path, size) => path -> (size << 30) }) === Seq(
      RefreshBatch(isRead = true, "a", "b", 2, 100L << 30),
      RefreshBatch(isRead = true, "c", "c", 1, 1L << 30),
      RefreshBatch(isRead = true, "d", "d", 1, 500L << 30),
      RefreshBatch(isRead = true, "e", "e", 1, 99L << 30),
      RefreshBatch(isRead = true, "f", "f", 1, 2L << 30)
    ))
  }

  test("a batch is cut by the number of its files") {
    val files = (1 to 20001).iterator.map(number => f"part-$number%05d" -> 1L)
    assert(cut(files) === Seq(
      RefreshBatch(isRead = true, "part-00001", "part-10000", 10000, 10000),
      RefreshBatch(isRead = true, "part-10001", "part-20000", 10000, 10000),
      RefreshBatch(isRead = true, "part-20001", "part-20001", 1, 1)
    ))
  }

  test("files are asked for one by one, so that they need not fit into memory") {
    var asked = 0
    val files = Iterator.continually { asked += 1; (true, f"part-$asked%09d", 1L) }
    assert(RefreshBatch.cut(files).next().files === 10000)
    assert(asked === 10001)
  }

  test("files that are read and files that are not have batches of their own") {
    val files = Iterator((false, "b", 0L), (false, "d", 0L), (true, "a", 1L), (true, "c", 2L))
    assert(RefreshBatch.cut(files).toSeq === Seq(
      RefreshBatch(isRead = false, "b", "d", 2, 0),
      RefreshBatch(isRead = true, "a", "c", 2, 3)
    ))
  }
}
