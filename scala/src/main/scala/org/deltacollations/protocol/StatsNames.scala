// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

/** The fields of a file's statistics. RFC, "Per-file Statistics". */
object StatsNames {

  val NumRecords: String = "numRecords"

  val NullCount: String = "nullCount"

  val Min: String = "minValues"

  val Max: String = "maxValues"

  /** Beside the others, and keyed by versioned identifier; `Min` and `Max` are below each key. */
  val Collated: String = "statsWithCollation"
}
