// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.scan

/**
 * The state of one call of Delta's `filesForScan`, which plans a scan on the calling thread.
 *
 * Delta passes nothing of ours through that call, so the context is a thread-local, the only one of
 * data skipping. [[ScanHooks]] creates it when the call starts and removes it when the call returns.
 *
 * @param countOnly
 *   whether files are counted where the log is read and not collected to the driver
 */
final private[delta] class ScanContext private (val countOnly: Boolean) {

  /** The outcomes of the files, if a collated predicate was evaluated on them. */
  var outcomes: Option[FileOutcomeAccumulator] = None

  /** The collations of the bounds that this predicate was evaluated on. */
  var boundsUse: Option[BoundsUse] = None

  /** The number of files to read, if they were counted and not collected. */
  var filesCounted: Option[Long] = None
}

private[delta] object ScanContext {

  /** The context of a scan without a collated predicate. */
  def empty: ScanContext = new ScanContext(countOnly = false)

  private val current = ThreadLocal.withInitial[ScanContext](() => empty)

  def get: ScanContext = current.get

  /** Replaces the context, also one that a failed call has left behind. */
  def begin(): Unit = current.set(new ScanContext(current.get.countOnly))

  /** Removes the context of this call and returns it. */
  def end(): ScanContext = {
    val ended = current.get
    if (ended.countOnly) current.set(new ScanContext(countOnly = true)) else current.remove()
    ended
  }

  /** Runs `body`. Scans that Delta plans in it have no files and must not be executed. */
  def countOnly[T](body: => T): T = {
    current.set(new ScanContext(countOnly = true))
    try body
    finally current.remove()
  }
}
