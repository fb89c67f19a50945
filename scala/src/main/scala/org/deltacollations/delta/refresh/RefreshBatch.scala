// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.refresh

import scala.annotation.tailrec
import scala.collection.BufferedIterator

/**
 * The files of one commit of a refresh: those from the path `first` to the path `last` that lack
 * bounds, how many they are, and the sum of what has to be read of them.
 *
 * By path, so that a commit stays within few partitions and out of the way of other writers; and by
 * no more than two paths, since that is all the driver ever holds of files whose turn has not come.
 */
final private[delta] case class RefreshBatch(
    isRead: Boolean,
    first: String,
    last: String,
    files: Long,
    bytes: Long
) {

  import RefreshBatch._

  private def hasRoomFor(size: Long): Boolean = files < MaxFiles && bytes + size <= MaxBytes

  private def and(path: String, size: Long): RefreshBatch =
    copy(last = path, files = files + 1, bytes = bytes + size)
}

private[delta] object RefreshBatch {

  /**
   * Each commit makes Delta list the files of the table anew, and may make a `DELETE` that runs
   * beside it start over, so there should not be many; and its files with their statistics must fit
   * into the driver, and their work may be lost.
   */
  private val MaxFiles = 10000L
  private val MaxBytes = 100L << 30

  /**
   * `files` by whether they are read, path and size, in order, cut where a batch is full; a large file
   * is one alone.
   */
  def cut(files: Iterator[(Boolean, String, Long)]): Iterator[RefreshBatch] =
    Iterator.unfold(files.buffered) { rest =>
      Option.when(rest.hasNext) {
        val (isRead, path, size) = rest.next()
        (filled(RefreshBatch(isRead, path, path, 1, size), rest), rest)
      }
    }

  @tailrec private def filled(
      batch: RefreshBatch,
      rest: BufferedIterator[(Boolean, String, Long)]
  ): RefreshBatch =
    if (rest.hasNext && rest.head._1 == batch.isRead && batch.hasRoomFor(rest.head._3)) {
      val (_, path, size) = rest.next()
      filled(batch.and(path, size), rest)
    } else batch
}
