// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.scan

/**
 * What became of the files of a table in one scan.
 *
 * @param reasons
 *   why files were read that statistics might have left out, the most files first
 */
final case class ScanReport(
    inTable: Long,
    prunedByPartition: Long,
    prunedByBinary: Long,
    prunedByCollated: Long,
    read: Long,
    reasons: Seq[ScanReport.Reason]
) {

  /** By name, as `EXPLAIN` shows them; each short enough not to be cut off there. */
  def facts: Seq[(String, String)] = {
    val why = reasons.map(_.text)
    Seq(
      "FilesInTable" -> s"$inTable",
      "FilesPruned" ->
        (s"$prunedByPartition by partition, $prunedByBinary by binary statistics, " +
          s"$prunedByCollated by collated statistics"),
      "FilesRead" -> (read.toString +: why).mkString(", ")
    )
  }

  /** By name, as the SQL tab shows them beside the files that were read. */
  def figures: Seq[(String, Long)] = Seq(
    "number of files in the table" -> inTable,
    "number of files pruned by partition" -> prunedByPartition,
    "number of files pruned by binary statistics" -> prunedByBinary,
    "number of files pruned by collated statistics" -> prunedByCollated
  ) ++ reasons.collect { case ScanReport.Reason(files, because) =>
    s"number of files read: $because" -> files
  }
}

object ScanReport {

  final case class Reason(files: Long, because: String) {
    def text: String = s"$files $because"
  }

  val WithoutStatistics: String = "without statistics"

  val OfAnotherVersion: String = "with statistics of another version"

  /** Reasons that are gone once statistics are collected. */
  val Mendable: Set[String] = Set(WithoutStatistics, OfAnotherVersion)

  val NotUsable: String = "as the predicate is not usable"

  val SwitchedOff: String = "as skipping is switched off"

  /** @param unasked why no collated condition was asked of the files, if one might have been */
  def apply(
      inTable: Long,
      inPartitions: Long,
      read: Long,
      counts: Option[Seq[Long]],
      unasked: Option[String]
  ): ScanReport = {
    def counted(outcome: Int): Long = counts.fold(0L)(_(outcome))
    val collated = counted(FileOutcome.PrunedByCollated)
    val reasons = Seq(
      Reason(counted(FileOutcome.ReadWithoutStatistics), WithoutStatistics),
      Reason(counted(FileOutcome.ReadForVersion), OfAnotherVersion)
    ) ++ unasked.map(Reason(read, _))
    ScanReport(
      inTable = inTable,
      prunedByPartition = inTable - inPartitions,
      prunedByBinary = inPartitions - read - collated,
      prunedByCollated = collated,
      read = read,
      reasons = reasons.filter(_.files > 0).sortBy(-_.files)
    )
  }
}
