// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.scan

/**
 * Describes how many files of a table one scan prunes, skips and reads.
 *
 * @param reasons
 *   why files are read that statistics could have skipped, in descending order of files
 * @param otherBounds
 *   bounds that were used although their collation is not that of the query
 */
final case class ScanReport(
    inTable: Long,
    prunedByPartition: Long,
    prunedByBinary: Long,
    prunedByCollated: Long,
    read: Long,
    reasons: Seq[ScanReport.Reason],
    otherBounds: Seq[BoundsUse.Entry]
) {

  /** Entries for `EXPLAIN`. Each is short enough not to be truncated there. */
  def metadata: Seq[(String, String)] = {
    val why = reasons.map(reason => s"${reason.reason}: ${reason.files}")
    Seq(
      "FilesInTable" -> s"$inTable",
      "FilesPruned" ->
        (s"$prunedByPartition by partition, $prunedByBinary by binary statistics, " +
          s"$prunedByCollated by collated statistics"),
      "FilesRead" -> (if (why.isEmpty) s"$read" else why.mkString(s"$read (", ", ", ")"))
    ) ++ Option.when(otherBounds.nonEmpty)("BoundsUsed" -> otherBounds.map(shown).mkString(", "))
  }

  private def shown(use: BoundsUse.Entry): String =
    s"${use.column}: ${use.bounds} for ${use.compared}"

  /** SQL metrics for the UI, next to Spark's own number of files read. */
  def metrics: Seq[(String, Long)] = Seq(
    "number of files in the table" -> inTable,
    "number of files pruned by partition" -> prunedByPartition,
    "number of files pruned by binary statistics" -> prunedByBinary,
    "number of files pruned by collated statistics" -> prunedByCollated
  ) ++ reasons.collect { case ScanReport.Reason(files, reason) =>
    s"number of files read: $reason" -> files
  }
}

object ScanReport {

  final case class Reason(files: Long, reason: String)

  val NoStatistics: String = "no statistics"

  val OtherVersion: String = "statistics of another ICU version"

  /** Reasons that no longer apply after a refresh of the statistics. */
  val FixableByRefresh: Set[String] = Set(NoStatistics, OtherVersion)

  val UnusablePredicate: String = "predicate cannot use statistics"

  val SkippingDisabled: String = "skipping is disabled"

  /**
   * @param outcomes
   *   the number of files by [[FileOutcome]], if a collated predicate was evaluated
   * @param whyNotEvaluated
   *   why no collated predicate was evaluated, if the query has a filter on a collated column
   */
  def apply(
      inTable: Long,
      inPartitions: Long,
      read: Long,
      outcomes: Option[Seq[Long]],
      whyNotEvaluated: Option[String],
      otherBounds: Seq[BoundsUse.Entry] = Nil
  ): ScanReport = {
    def count(outcome: Int): Long = outcomes.fold(0L)(_(outcome))
    val collated = count(FileOutcome.SkippedByCollated)
    val reasons = Seq(
      Reason(count(FileOutcome.ReadNoStatistics), NoStatistics),
      Reason(count(FileOutcome.ReadOtherVersion), OtherVersion)
    ) ++ whyNotEvaluated.map(Reason(read, _))
    ScanReport(
      inTable = inTable,
      prunedByPartition = inTable - inPartitions,
      prunedByBinary = inPartitions - read - collated,
      prunedByCollated = collated,
      read = read,
      reasons = reasons.filter(_.files > 0).sortBy(-_.files),
      otherBounds
    )
  }
}
