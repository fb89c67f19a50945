// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

import org.deltacollations.collation.LocaleResolver

/** Describes the differences that several systems have in common. */
private[dialects] object DifferenceMessages {

  val Version: String =
    "The Unicode version of the rules may differ from that of Spark's ICU, so some characters " +
      "may be ordered differently."

  /** Padding and trimming agree on which strings are equal, but not on the order of the others. */
  val Padding: String =
    "Trailing spaces are ignored, hence _RTRIM. The shorter string is padded with spaces, " +
      "whereas Spark trims both, so 'a' followed by a tab comes before 'a'; in Spark it comes " +
      "after."

  /** A deterministic collation of PostgreSQL breaks ties by bytes; Spark has no such collation. */
  val TiesByBytes: String =
    "Strings that compare as equal are ordered by their bytes, so only identical strings are " +
      "equal; in Spark, canonically equivalent strings are equal too, such as é and e followed " +
      "by U+0301."

  val NumericOrdering: String =
    "Digits are compared as numbers, so a2 comes before a10; in Spark a10 comes before a2."

  val Punctuation: String =
    "Spaces and punctuation are ignored, so a-b equals ab; in Spark they are significant."

  val UpperFirst: String =
    "Uppercase comes before lowercase when strings are otherwise equal; in Spark it comes after."

  val Phonebook: String =
    "Phonebook order treats ä, ö, ü as ae, oe, ue; Spark treats them as a, o, u with an accent."

  val TraditionalSpanish: String =
    "Traditional order treats ch and ll as separate letters after c and l; Spark does not."

  /** Describes properties of a Spark locale that other systems usually do not share. */
  def ofLocale(locale: String, ignoresCase: Boolean): Seq[String] = Seq(
    Option.when(LocaleResolver.hasNativeScriptFirst(locale))(
      s"Spark's $locale orders its own script before Latin."
    ),
    Option.when(!ignoresCase && LocaleResolver.hasUpperCaseFirst(locale))(
      s"Spark's $locale orders uppercase before lowercase."
    )
  ).flatten
}
