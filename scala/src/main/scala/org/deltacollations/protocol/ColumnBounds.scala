// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import java.util.Locale

/** Names a minimum and a maximum in the statistics of a file: those of `column`, by `collation`. */
final case class ColumnBounds(column: Seq[String], collation: CollationId)

object ColumnBounds {

  /** The order of the top-level `minValues` and `maxValues`. It has no versions. */
  val Binary: CollationId = CollationId("spark", "UTF8_BINARY")

  /** Returns provider and name in lowercase, since writers do not agree on the case. */
  def caseFolded(id: CollationId): String = id.unversioned.toString.toLowerCase(Locale.ROOT)

  /** Encodes a path as a string. The lengths make the encoding unique, even if names contain `:`. */
  def key(column: Seq[String]): String = column.map(name => s"${name.length}:$name").mkString
}
