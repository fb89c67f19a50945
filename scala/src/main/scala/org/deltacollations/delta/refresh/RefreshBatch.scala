// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.refresh

import scala.annotation.tailrec
import scala.collection.BufferedIterator

/**
 * The files that a refresh commits together: those without bounds from the path `first` to the path
 * `last`.
 *
 * A range of paths keeps a commit within few partitions, where it rarely conflicts with other writers.
 * And two paths are all that the driver stores of files that it has not processed yet.
 *
 * @param isRead
 *   whether the files have to be read
 * @param bytes
 *   the total size of the files if they have to be read
 */
final private[delta] case class RefreshBatch(
    isRead: Boolean,
    first: String,
    last: String,
    files: Long,
    bytes: Long
) {

  import RefreshBatch._

  private def canAdd(size: Long): Boolean = files < MaxFiles && bytes + size <= MaxBytes

  private def add(path: String, size: Long): RefreshBatch =
    copy(last = path, files = files + 1, bytes = bytes + size)
}

private[delta] object RefreshBatch {

  /**
   * Limits a batch in both directions. There should be few commits: after each, Delta lists the files
   * of the table again, and a concurrent `DELETE` may have to start over. But the files of a batch with
   * their statistics must fit into the memory of the driver, and a conflict may discard their work.
   */
  private val MaxFiles = 10000L
  private val MaxBytes = 100L << 30

  /**
   * Splits `files` into batches, in order. A file larger than `MaxBytes` is a batch of its own.
   *
   * @param files
   *   whether each file has to be read, its path and its size
   */
  def split(files: Iterator[(Boolean, String, Long)]): Iterator[RefreshBatch] =
    Iterator.unfold(files.buffered) { rest =>
      Option.when(rest.hasNext) {
        val (isRead, path, size) = rest.next()
        (fill(RefreshBatch(isRead, path, path, 1, size), rest), rest)
      }
    }

  @tailrec private def fill(
      batch: RefreshBatch,
      rest: BufferedIterator[(Boolean, String, Long)]
  ): RefreshBatch =
    if (rest.hasNext && rest.head._1 == batch.isRead && batch.canAdd(rest.head._3)) {
      val (_, path, size) = rest.next()
      fill(batch.add(path, size), rest)
    } else batch
}
