// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.scan

/** What the statistics of a file say to one collated condition. Only the first leaves a file out. */
object PredicateResult {

  val CannotMatch: Int = 0

  val MayMatch: Int = 1

  /** There is nothing about this column under this collation. */
  val NoStatistics: Int = 2

  /** There are bounds in this collation, but none of them in the order of the running version. */
  val OtherVersion: Int = 3
}

/** What became of a file of the partitions that a query reads. */
object FileOutcome {

  val PrunedByBinary: Int = 0

  val PrunedByCollated: Int = 1

  val ReadForMatch: Int = 2

  val ReadWithoutStatistics: Int = 3

  val ReadForVersion: Int = 4

  val Count: Int = 5

  /**
   * @param isKept
   *   whether the file is read
   * @param isKeptWithout
   *   whether it would be, had the collated conditions not been asked
   * @param verdict
   *   the highest of what they said
   */
  def of(isKept: Boolean, isKeptWithout: Boolean, verdict: Int): Int =
    if (!isKeptWithout) PrunedByBinary
    else if (!isKept) PrunedByCollated
    else
      verdict match {
        case PredicateResult.OtherVersion => ReadForVersion
        case PredicateResult.NoStatistics => ReadWithoutStatistics
        case _ => ReadForMatch
      }
}
