// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

/** Field names of the statistics of a file. RFC, "Per-file Statistics". */
object StatsNames {

  val NumRecords: String = "numRecords"

  val NullCount: String = "nullCount"

  val Min: String = "minValues"

  val Max: String = "maxValues"

  /** Holds one object per versioned collation identifier, each with its own `Min` and `Max`. */
  val Collated: String = "statsWithCollation"

  private[protocol] val MinAndMax: Seq[String] = Seq(Min, Max)
}
