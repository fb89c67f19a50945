// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

import org.deltacollations.collation.LocaleResolver

/** A collation of Spark: an order, and what it is told to ignore. */
final private[dialects] case class SparkCollationName(
    locale: String,
    ignoresCase: Boolean = false,
    ignoresAccents: Boolean = false,
    ignoresTrailingSpaces: Boolean = false
) {

  /** In Spark's own spelling and order of suffixes. */
  def name: String = Seq(
    Some(locale),
    Option.when(ignoresCase)("CI"),
    Option.when(ignoresAccents)("AI"),
    Option.when(ignoresTrailingSpaces)("RTRIM")
  ).flatten.mkString("_")

  def withoutTrailingSpaces: SparkCollationName = copy(ignoresTrailingSpaces = true)
}

private[dialects] object SparkCollationName {

  val Root: String = LocaleResolver.Root

  val Binary: SparkCollationName = SparkCollationName("UTF8_BINARY")

  val Lowercase: SparkCollationName = SparkCollationName("UTF8_LCASE")
}
