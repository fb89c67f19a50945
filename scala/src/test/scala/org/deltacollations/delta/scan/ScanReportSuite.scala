// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.scan

import org.scalatest.funsuite.AnyFunSuite

class ScanReportSuite extends AnyFunSuite {

  /** Of a hundred files in the table, ninety in the partitions. */
  private def report(read: Long, counts: Option[Seq[Long]], unasked: Option[String] = None) =
    ScanReport(inTable = 100, inPartitions = 90, read, counts, unasked)

  test("every file is accounted for once") {
    val found = report(read = 20, counts = Some(Seq(30, 40, 12, 5, 3)))

    assert(found.facts === Seq(
      "FilesInTable" -> "100",
      "FilesPruned" -> "10 by partition, 30 by binary statistics, 40 by collated statistics",
      "FilesRead" -> "20, 5 without statistics, 3 with statistics of another version"
    ))
    assert(found.figures.map(_._2) === Seq(100, 10, 30, 40, 5, 3))
  }

  test("the reason that most files were read for comes first") {
    val found = report(read = 20, counts = Some(Seq(30, 40, 0, 5, 15)))
    assert(found.reasons.map(_.files) === Seq(15, 5))
  }

  test("a scan that asked no collated condition says why, if it might have") {
    assert(report(read = 90, counts = None).facts.last === "FilesRead" -> "90")
    assert(
      report(read = 90, counts = None, unasked = Some(ScanReport.NotUsable)).facts.last ===
        "FilesRead" -> "90, 90 as the predicate is not usable"
    )
  }

  test("Spark does not cut off what a plan says, however many files there are") {
    val found = ScanReport(
      inTable = 9999999,
      prunedByPartition = 9999999,
      prunedByBinary = 9999999,
      prunedByCollated = 9999999,
      read = 9999999,
      reasons = Seq(
        ScanReport.Reason(9999999, ScanReport.WithoutStatistics),
        ScanReport.Reason(9999999, ScanReport.OfAnotherVersion)
      )
    )
    assert(found.facts.map(_._2.length).max <= 100)
  }

  test("what became of a file is told by the first that would have left it out") {
    import FileOutcome._
    assert(of(isKept = false, isKeptWithout = false, PredicateResult.CannotMatch) ===
      PrunedByBinary)
    assert(of(isKept = false, isKeptWithout = true, PredicateResult.CannotMatch) ===
      PrunedByCollated)
    assert(of(isKept = true, isKeptWithout = true, PredicateResult.MayMatch) === ReadForMatch)
    assert(of(isKept = true, isKeptWithout = true, PredicateResult.NoStatistics) ===
      ReadWithoutStatistics)
    assert(of(isKept = true, isKeptWithout = true, PredicateResult.OtherVersion) === ReadForVersion)
  }
}
