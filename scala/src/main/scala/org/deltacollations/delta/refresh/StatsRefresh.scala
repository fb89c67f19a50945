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

/** What a refresh did; `bytes` is the size of the files it read, and some it need not read. */
final case class RefreshResult(checked: Long, refreshed: Long, relabeled: Long, bytes: Long) {

  def +(other: RefreshResult): RefreshResult = RefreshResult(
    checked + other.checked,
    refreshed + other.refreshed,
    relabeled + other.relabeled,
    bytes + other.bytes
  )
}

/**
 * Gives the files of a table the bounds of collated columns that they lack, because they were
 * written without, by another engine, by another version, or under another collation. Those that have
 * bounds of another version which are proven to hold are not read.
 *
 * Every batch of files is a commit of its own, so a run that is broken off loses little, and the
 * next one goes on where it stopped: there is no state but the log.
 */
final class StatsRefresh private (table: DeltaTableV2) {

  import StatsRefresh._

  def run(session: SparkSession): RefreshResult = {
    val snapshot = table.update()
    val batches = described(session, "looking for files without bounds") {
      new FilesToRefresh(snapshot).batches
    }
    val total = batches.map(_.files).sum
    val done = batches.zip(batches.scanLeft(0L)(_ + _.files)).map { case (batch, start) =>
      described(session, s"files ${start + 1} to ${start + batch.files} of $total") {
        if (batch.isRead) refresh(batch, Map.empty, Attempts) else relabel(batch, Attempts)
      }
    }
    done.foldLeft(RefreshResult(snapshot.numOfFiles, 0, 0, 0))(_ + _)
  }

  private def described[T](session: SparkSession, progress: String)(body: => T): T =
    JobDescription.of(session, s"Refreshing statistics of ${table.name()}: $progress")(body)

  /**
   * Reads what `known` does not hold yet, looks at the table again, and commits when it has stayed
   * the same or what was read still holds.
   *
   * So the transaction starts after the long part: whatever happens to a file while it is read is
   * seen, and not undone. A file that was deleted is no more among the files, one that has another
   * deletion vector or is asked for another collation is read again, and what others wrote into its
   * statistics is what the bounds are added to. For the short rest, Delta's own check of conflicts
   * is told which files this commit rests on.
   */
  private def refresh(
      batch: RefreshBatch,
      known: Map[FileVersion, CollectedStats],
      attempts: Int
  ): RefreshResult = {
    val transaction = table.startTransaction()
    val missing = new FilesToRefresh(transaction.snapshot)
    val files = missing.files(batch)
    val unread = files.filterNot(file => known.contains(missing.read(file)))
    if (unread.nonEmpty && attempts > 0) {
      val rest = refresh(batch, known ++ missing.collect(unread), attempts - 1)
      rest.copy(bytes = rest.bytes + unread.map(_.size).sum)
    } else {
      val changed = for {
        file <- files
        fresh <- known.get(missing.read(file))
        refreshed <- refreshed(file, fresh)
      } yield refreshed
      if (commit(transaction, changed, attempts)) RefreshResult(0, changed.size.toLong, 0, 0)
      else refresh(batch, known, attempts - 1)
    }
  }

  private def relabel(batch: RefreshBatch, attempts: Int): RefreshResult = {
    val transaction = table.startTransaction()
    val missing = new FilesToRefresh(transaction.snapshot)
    val changed = missing.files(batch).map { file =>
      AddFileCopy(file, "stats" -> missing.relabeled(file), "dataChange" -> false)
    }
    val count = changed.size.toLong
    if (commit(transaction, changed, attempts)) RefreshResult(0, count, count, 0)
    else relabel(batch, attempts - 1)
  }

  /** Whether it was done; if not, others were first, and there are attempts left. */
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

  /** @param command what the user asked for, for the error that says this is no Delta table */
  def of(table: LogicalPlan, command: String): StatsRefresh =
    new StatsRefresh(DeltaTableV2.extractFrom(table, command))

  /** The file with what it lacked of `fresh`, if it lacked anything. */
  private def refreshed(file: AddFile, fresh: CollectedStats): Option[AddFile] = {
    val stats = StatsBackfill.backfilled(file.stats, fresh.stats)
    val tag = fresh.codePoints.map(CodePointTag.merged(file.tags, _))
      .filterNot(Option(file.tags).flatMap(_.get(CodePointTag.Name)).contains)
    Option.when(stats != file.stats || tag.isDefined) {
      val tags = tag.fold(file.tags)(value => file.tagsOrEmpty + (CodePointTag.Name -> value))
      AddFileCopy(file, "stats" -> stats, "dataChange" -> false, "tags" -> tags)
    }
  }

  /** How often the table may change under a batch before it is given up. */
  private val Attempts = 10
}
