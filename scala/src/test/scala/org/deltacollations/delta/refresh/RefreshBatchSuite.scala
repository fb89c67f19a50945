// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.refresh

import org.scalatest.funsuite.AnyFunSuite

class RefreshBatchSuite extends AnyFunSuite {

  private def split(files: Iterator[(String, Long)]): Seq[RefreshBatch] =
    RefreshBatch.split(files.map { case (path, size) => (true, path, size) }).toSeq

  test("no files make no batch") {
    assert(split(Iterator.empty) === Nil)
  }

  test("batches are limited by the total size of their files and keep the order") {
    val files = Iterator("a" -> 60L, "b" -> 40L, "c" -> 1L, "d" -> 500L, "e" -> 99L, "f" -> 2L)
    assert(split(files.map { case (path, size) => path -> (size << 30) }) === Seq(
      RefreshBatch(isRead = true, "a", "b", 2, 100L << 30),
      RefreshBatch(isRead = true, "c", "c", 1, 1L << 30),
      RefreshBatch(isRead = true, "d", "d", 1, 500L << 30),
      RefreshBatch(isRead = true, "e", "e", 1, 99L << 30),
      RefreshBatch(isRead = true, "f", "f", 1, 2L << 30)
    ))
  }

  test("batches are limited by the number of their files") {
    val files = (1 to 20001).iterator.map(number => f"part-$number%05d" -> 1L)
    assert(split(files) === Seq(
      RefreshBatch(isRead = true, "part-00001", "part-10000", 10000, 10000),
      RefreshBatch(isRead = true, "part-10001", "part-20000", 10000, 10000),
      RefreshBatch(isRead = true, "part-20001", "part-20001", 1, 1)
    ))
  }

  test("files are consumed lazily, so that they need not fit into memory") {
    var consumed = 0
    val files = Iterator.continually { consumed += 1; (true, f"part-$consumed%09d", 1L) }
    assert(RefreshBatch.split(files).next().files === 10000)
    assert(consumed === 10001)
  }

  test("files to read and files to relabel are in separate batches") {
    val files = Iterator((false, "b", 0L), (false, "d", 0L), (true, "a", 1L), (true, "c", 2L))
    assert(RefreshBatch.split(files).toSeq === Seq(
      RefreshBatch(isRead = false, "b", "d", 2, 0),
      RefreshBatch(isRead = true, "a", "c", 2, 3)
    ))
  }
}
