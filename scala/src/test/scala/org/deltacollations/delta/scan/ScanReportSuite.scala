// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.scan

import org.scalatest.funsuite.AnyFunSuite

class ScanReportSuite extends AnyFunSuite {

  /** A report on a table with 100 files, 90 of them in the partitions of the query. */
  private def report(
      read: Long,
      outcomes: Option[Seq[Long]],
      whyNotEvaluated: Option[String] = None
  ) = ScanReport(inTable = 100, inPartitions = 90, read, outcomes, whyNotEvaluated)

  test("a report counts every file once") {
    val found = report(read = 20, outcomes = Some(Seq(30, 40, 12, 5, 3)))

    assert(found.metadata === Seq(
      "FilesInTable" -> "100",
      "FilesPruned" -> "10 by partition, 30 by binary statistics, 40 by collated statistics",
      "FilesRead" -> "20 (no statistics: 5, statistics of another ICU version: 3)"
    ))
    assert(found.metrics.map(_._2) === Seq(100, 10, 30, 40, 5, 3))
  }

  test("reasons are sorted by the number of files") {
    val found = report(read = 20, outcomes = Some(Seq(30, 40, 0, 5, 15)))
    assert(found.reasons.map(_.files) === Seq(15, 5))
  }

  test("a report says why no collated predicate was evaluated") {
    assert(report(read = 90, outcomes = None).metadata.last === "FilesRead" -> "90")
    assert(
      report(
        read = 90,
        outcomes = None,
        whyNotEvaluated = Some(ScanReport.UnusablePredicate)
      ).metadata.last ===
        "FilesRead" -> "90 (predicate cannot use statistics: 90)"
    )
  }

  test("the entries for EXPLAIN are not truncated") {
    val found = ScanReport(
      inTable = 9999999,
      prunedByPartition = 9999999,
      prunedByBinary = 9999999,
      prunedByCollated = 9999999,
      read = 9999999,
      reasons = Seq(
        ScanReport.Reason(9999999, ScanReport.NoStatistics),
        ScanReport.Reason(9999999, ScanReport.OtherVersion)
      ),
      otherBounds = Seq(BoundsUse.Entry("name", "zh_Hant_TWN_AI_RTRIM", "zh_Hant_TWN_CI_AI_RTRIM"))
    )
    assert(found.metadata.map(_._2.length).max <= 100)
  }

  test("a report names bounds in other collations than that of the query") {
    val use = new BoundsUse
    val indexes = Seq("UNICODE_CI", "UNICODE_CI_AI").map(use.indexOf("name", "UNICODE_CI", _)) :+
      use.indexOf("word", "th", "th_CI_AI")
    assert(indexes === Seq(0, 1, 2) && use.indexOf("word", "th", "th_CI_AI") === 2)

    Seq(2, 0, 2).foreach(use.accumulator.add(_))
    val found = ScanReport(9, 9, 1, Some(Seq(0, 8, 1, 0, 0)), None, use.ofOtherCollations)
    assert(found.metadata.last === "BoundsUsed" -> "word: th_CI_AI for th")
  }

  test("a file counts for the first filter that skips it") {
    import FileOutcome._
    assert(of(isRead = false, isReadByDelta = false, PredicateResult.CannotMatch) ===
      SkippedByBinary)
    assert(of(isRead = false, isReadByDelta = true, PredicateResult.CannotMatch) ===
      SkippedByCollated)
    assert(of(isRead = true, isReadByDelta = true, PredicateResult.MayMatch) === ReadMayMatch)
    assert(of(isRead = true, isReadByDelta = true, PredicateResult.NoStatistics) ===
      ReadNoStatistics)
    assert(of(isRead = true, isReadByDelta = true, PredicateResult.OtherVersion) ===
      ReadOtherVersion)
  }
}
