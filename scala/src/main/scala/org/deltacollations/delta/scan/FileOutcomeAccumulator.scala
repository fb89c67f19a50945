// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.scan

import org.apache.spark.util.AccumulatorV2

/** Counts the files of a scan by [[FileOutcome]] while executors filter the log. */
final class FileOutcomeAccumulator extends AccumulatorV2[java.lang.Integer, Seq[Long]] {

  private val counts = new Array[Long](FileOutcome.Count)

  override def add(outcome: java.lang.Integer): Unit = counts(outcome) += 1

  /** Counts a file by the arguments of [[FileOutcome.of]]. */
  def count(isRead: Boolean, isReadByDelta: Boolean, result: Int): Unit =
    counts(FileOutcome.of(isRead, isReadByDelta, result)) += 1

  override def merge(other: AccumulatorV2[java.lang.Integer, Seq[Long]]): Unit =
    other.value.zipWithIndex.foreach { case (files, outcome) => counts(outcome) += files }

  override def value: Seq[Long] = counts.toSeq

  override def isZero: Boolean = counts.forall(_ == 0)

  override def reset(): Unit = counts.indices.foreach(counts(_) = 0)

  override def copy(): FileOutcomeAccumulator = {
    val copied = new FileOutcomeAccumulator
    copied.merge(this)
    copied
  }
}
