// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.scan

/**
 * The result of evaluating one collated predicate on the statistics of a file. Only `CannotMatch`
 * lets a scan skip the file.
 */
object PredicateResult {

  val CannotMatch: Int = 0

  val MayMatch: Int = 1

  /** The file has no bounds for this column under this collation. */
  val NoStatistics: Int = 2

  /** The file has bounds for this column and collation, but of other ICU versions only. */
  val OtherVersion: Int = 3

  /** Whether the bounds have decided, and not their absence. */
  def isKnown(result: Int): Boolean = result == CannotMatch || result == MayMatch
}

/** The outcome of a file in the partitions that a query reads: skipped, or read for some reason. */
object FileOutcome {

  val SkippedByBinary: Int = 0

  val SkippedByCollated: Int = 1

  val ReadMayMatch: Int = 2

  val ReadNoStatistics: Int = 3

  val ReadOtherVersion: Int = 4

  val Count: Int = 5

  /**
   * @param isRead
   *   whether the file is read
   * @param isReadByDelta
   *   whether Delta alone, without the collated predicates, would read the file
   * @param result
   *   the highest [[PredicateResult]] of the collated predicates
   */
  def of(isRead: Boolean, isReadByDelta: Boolean, result: Int): Int =
    if (!isReadByDelta) SkippedByBinary
    else if (!isRead) SkippedByCollated
    else
      result match {
        case PredicateResult.OtherVersion => ReadOtherVersion
        case PredicateResult.NoStatistics => ReadNoStatistics
        case _ => ReadMayMatch
      }
}
