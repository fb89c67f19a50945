// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

import org.deltacollations.collation.LocaleResolver

/** Builds the name of a Spark collation from a locale and specifiers. */
final private[dialects] case class SparkCollationName(
    locale: String,
    ignoresCase: Boolean = false,
    ignoresAccents: Boolean = false,
    ignoresTrailingSpaces: Boolean = false
) {

  /** Returns the name as Spark spells it. */
  def name: String = Seq(
    Some(locale),
    Option.when(ignoresCase)("CI"),
    Option.when(ignoresAccents)("AI"),
    Option.when(ignoresTrailingSpaces)("RTRIM")
  ).flatten.mkString("_")

  def ignoringTrailingSpaces: SparkCollationName = copy(ignoresTrailingSpaces = true)
}

private[dialects] object SparkCollationName {

  val Root: String = LocaleResolver.Root

  val Binary: SparkCollationName = SparkCollationName("UTF8_BINARY")

  val Lowercase: SparkCollationName = SparkCollationName("UTF8_LCASE")
}
