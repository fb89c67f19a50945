// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

/**
 * Computes preimages under `upper`. Unlike `lower`, `upper` does not preserve equality under
 * `UTF8_LCASE`: it maps `ß` to `SS`, which are different strings there.
 */
object UpperCasePreimage {

  /** ASCII strings and the characters that `upper` maps to them, but that `lower` keeps different. */
  private val specialMappings: Seq[(String, String)] = Seq(
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
   * Returns strings such that every string whose upper case is `text` equals one of them under
   * `UTF8_LCASE`. Returns `None` if there are more than `limit`, or if `text` is not ASCII, for
   * which the preimages are not known.
   */
  def preimages(text: String, limit: Int): Option[Seq[String]] = {
    val lower = text.map(char => if ('A' <= char && char <= 'Z') char.toLower else char)
    // Dynamic programming from the end: the preimages of a suffix are built from shorter suffixes.
    val suffixes = new Array[Seq[String]](lower.length + 1)
    suffixes(lower.length) = Seq("")
    var fits = lower.forall(_ < 0x80)
    for (start <- lower.indices.reverse if fits) {
      val first = lower.substring(start, start + 1)
      val mappings =
        (first -> first) +: specialMappings.filter(mapping => lower.startsWith(mapping._1, start))
      suffixes(start) = mappings.flatMap { case (mapped, source) =>
        suffixes(start + mapped.length).map(source + _)
      }
      fits = suffixes(start).size <= limit
    }
    Option.when(fits)(suffixes.head)
  }
}
