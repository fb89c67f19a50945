// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.refresh

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.catalog.DeltaTableV2
import org.apache.spark.sql.delta.{
  DeltaConcurrentModificationException,
  DeltaOperations,
  OptimisticTransaction
}

import org.deltacollations.delta.util.{AddFileCopy, JobDescription}
import org.deltacollations.protocol.{CodePointTag, StatsBackfill}

/**
 * Counts the files that a refresh has processed.
 *
 * @param relabeled
 *   those of the `refreshed` files that were not read
 * @param bytes
 *   the total size of the files that were read
 */
final case class RefreshResult(checked: Long, refreshed: Long, relabeled: Long, bytes: Long) {

  def +(other: RefreshResult): RefreshResult = RefreshResult(
    checked + other.checked,
    refreshed + other.refreshed,
    relabeled + other.relabeled,
    bytes + other.bytes
  )
}

/**
 * Adds missing bounds of collated columns to the files of a table. Bounds are missing if a file was
 * written without them, by another engine, with another ICU version, or under another collation. Files
 * with bounds of another version that are proven to hold are not read.
 *
 * Every batch of files is a commit of its own, so an interrupted run loses little, and the next run
 * continues where it stopped. The log is the only state.
 */
final class StatsRefresh private (table: DeltaTableV2) {

  import StatsRefresh._

  def run(session: SparkSession): RefreshResult = {
    val snapshot = table.update()
    val batches = withDescription(session, "looking for files without bounds") {
      new FilesToRefresh(snapshot).batches
    }
    val total = batches.map(_.files).sum
    val results = batches.zip(batches.scanLeft(0L)(_ + _.files)).map { case (batch, start) =>
      withDescription(session, s"files ${start + 1} to ${start + batch.files} of $total") {
        if (batch.isRead) refresh(batch, Map.empty, MaxAttempts) else relabel(batch, MaxAttempts)
      }
    }
    results.foldLeft(RefreshResult(snapshot.numOfFiles, 0, 0, 0))(_ + _)
  }

  private def withDescription[T](session: SparkSession, progress: String)(body: => T): T =
    JobDescription.of(session, s"Refreshing statistics of ${table.name()}: $progress")(body)

  /**
   * Commits the files of a batch if `collected` has statistics for all of them. Otherwise collects
   * missing statistics and starts over with a new transaction.
   *
   * The transaction therefore starts after the files were read, and sees all changes that other writers
   * made in the meantime: it skips removed files, reads files with a new deletion vector or another
   * collation again, and adds the bounds to statistics that other writers may have changed. For the
   * rest of the transaction, `trackFilesRead` makes Delta's conflict checker detect changes to the
   * files of this commit.
   */
  private def refresh(
      batch: RefreshBatch,
      collected: Map[FileVersion, CollectedStats],
      attempts: Int
  ): RefreshResult = {
    val transaction = table.startTransaction()
    val toRefresh = new FilesToRefresh(transaction.snapshot)
    val files = toRefresh.files(batch)
    val unread = files.filterNot(file => collected.contains(toRefresh.versionOf(file)))
    if (unread.nonEmpty && attempts > 0) {
      val result = refresh(batch, collected ++ toRefresh.collect(unread), attempts - 1)
      result.copy(bytes = result.bytes + unread.map(_.size).sum)
    } else {
      val changed = for {
        file <- files
        stats <- collected.get(toRefresh.versionOf(file))
        refreshed <- refreshed(file, stats)
      } yield refreshed
      if (commit(transaction, changed, attempts)) RefreshResult(0, changed.size.toLong, 0, 0)
      else refresh(batch, collected, attempts - 1)
    }
  }

  private def relabel(batch: RefreshBatch, attempts: Int): RefreshResult = {
    val transaction = table.startTransaction()
    val toRefresh = new FilesToRefresh(transaction.snapshot)
    val changed = toRefresh.files(batch).map { file =>
      AddFileCopy(file, "stats" -> toRefresh.relabeledStats(file), "dataChange" -> false)
    }
    val count = changed.size.toLong
    if (commit(transaction, changed, attempts)) RefreshResult(0, count, count, 0)
    else relabel(batch, attempts - 1)
  }

  /** Returns false if another writer won a conflict and there are attempts left. */
  private def commit(
      transaction: OptimisticTransaction,
      changed: Seq[AddFile],
      attempts: Int
  ): Boolean =
    try {
      if (changed.nonEmpty) {
        transaction.trackFilesRead(changed)
        transaction.commit(changed, DeltaOperations.ComputeStats(Nil)): Unit
      }
      true
    } catch {
      case _: DeltaConcurrentModificationException if attempts > 0 => false
    }
}

object StatsRefresh {

  /** @param command the statement of the user, for the error if `table` is not a Delta table */
  def of(table: LogicalPlan, command: String): StatsRefresh =
    new StatsRefresh(DeltaTableV2.extractFrom(table, command))

  /** Returns `file` with the statistics that it is missing, or none if it is missing nothing. */
  private def refreshed(file: AddFile, collected: CollectedStats): Option[AddFile] = {
    val stats = StatsBackfill.backfilled(file.stats, collected.stats)
    val newTag = collected.codePoints.map(CodePointTag.merged(file.tags, _))
      .filterNot(file.getTag(CodePointTag.Name).contains)
    Option.when(stats != file.stats || newTag.isDefined) {
      val tags = newTag.fold(file.tags)(tag => file.tagsOrEmpty + (CodePointTag.Name -> tag))
      AddFileCopy(file, "stats" -> stats, "dataChange" -> false, "tags" -> tags)
    }
  }

  /** How often a batch is tried while other writers change the table. */
  private val MaxAttempts = 10
}
