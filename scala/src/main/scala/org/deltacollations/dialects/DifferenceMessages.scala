// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

import org.deltacollations.collation.LocaleResolver

/** Differences that more than one system has. */
private[dialects] object DifferenceMessages {

  val Version: String =
    "The rules may be of another version of Unicode than those of Spark's ICU, in which some " +
      "characters moved."

  /** Padding and trimming find the same strings equal, but do not order them alike. */
  val Padding: String =
    "Trailing spaces do not count, hence _RTRIM; but the shorter string is padded where Spark trims " +
      "the longer one, so a followed by a tab comes before a, and in Spark after it."

  /** What a deterministic collation of PostgreSQL does, and one of Spark does not. */
  val BytesDecide: String =
    "Strings the rules find equal are ordered by their bytes, so only identical strings are equal; " +
      "in Spark canonically equivalent ones are too, like é and e followed by U+0301."

  val NoNumbers: String =
    "Digits are compared as numbers, so a2 comes before a10; in Spark a10 comes before a2."

  val Punctuation: String =
    "Spaces and punctuation are ignored, so a-b equals ab; in Spark they count."

  val UpperFirst: String =
    "Upper case comes before lower case where nothing else differs; in Spark it comes after."

  val Phonebook: String =
    "Phone book order takes ä, ö, ü for ae, oe, ue; in Spark they are a, o, u with an accent."

  val TraditionalSpanish: String =
    "Traditional order takes ch and ll for letters of their own, after c and l; in Spark they are not."

  /** Everything about a locale of Spark that surprises those who know the language elsewhere. */
  def ofLocale(locale: String, ignoresCase: Boolean): Seq[String] = Seq(
    Option.when(LocaleResolver.ownScriptFirst(locale))(
      s"Spark's $locale puts letters of its own script before Latin ones."
    ),
    Option.when(!ignoresCase && LocaleResolver.upperFirst(locale))(
      s"Spark's $locale puts upper case before lower case."
    )
  ).flatten
}
