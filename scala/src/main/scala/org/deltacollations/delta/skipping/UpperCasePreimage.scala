// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

/**
 * The way back from upper case. Unlike lower case it does not keep strings equal under UTF8_LCASE:
 * `upper` makes `SS` of `ß`, and the two are different there.
 */
object UpperCasePreimage {

  /** The characters that become plain letters, and are not equal to them when in lower case. */
  private val becoming: Seq[(String, String)] = Seq(
    "i" -> "ı",
    "s" -> "ſ",
    "ss" -> "ß",
    "ff" -> "ﬀ",
    "fi" -> "ﬁ",
    "fl" -> "ﬂ",
    "ffi" -> "ﬃ",
    "ffl" -> "ﬄ",
    "st" -> "ﬅ",
    "st" -> "ﬆ"
  )

  /**
   * Strings such that whatever becomes `text` in upper case is equal to one of them, letter case set
   * aside; or `None` if there are more than `limit`, or if `text` is not plain ASCII, for which the
   * way back is not known.
   */
  def sources(text: String, limit: Int): Option[Seq[String]] = {
    val wanted = text.map(letter => if ('A' <= letter && letter <= 'Z') letter.toLower else letter)
    // From the end: the sources of each rest of the text are made of those of shorter rests.
    val rests = new Array[Seq[String]](wanted.length + 1)
    rests(wanted.length) = Seq("")
    var fits = wanted.forall(_ < 0x80)
    for (start <- wanted.indices.reverse if fits) {
      val first = wanted.substring(start, start + 1)
      val pieces = (first -> first) +: becoming.filter(piece => wanted.startsWith(piece._1, start))
      rests(start) = pieces.flatMap { case (becomes, piece) =>
        rests(start + becomes.length).map(piece + _)
      }
      fits = rests(start).size <= limit
    }
    Option.when(fits)(rests.head)
  }
}
