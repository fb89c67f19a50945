// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.elsewhere

/** A collation of Spark: an order, and what it is told to ignore. */
final private[elsewhere] case class SparkCollation(
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

  def withoutTrailingSpaces: SparkCollation = copy(ignoresTrailingSpaces = true)
}

private[elsewhere] object SparkCollation {

  val Root: String = "UNICODE"

  val Binary: SparkCollation = SparkCollation("UTF8_BINARY")

  val Lowercase: SparkCollation = SparkCollation("UTF8_LCASE")
}
