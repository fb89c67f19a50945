// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.testutil

import java.text.Normalizer
import java.util.Locale

import scala.util.Random

import org.apache.spark.unsafe.types.UTF8String

/** Texts of many scripts with patterns that are in them, or nearly. The same seed gives the same. */
final class SearchCases(seed: Long) {

  private val random = new Random(seed)
  private val strings = new Strings(seed)

  def next(): SearchCase = {
    val text = random.nextInt(6) match {
      case 0 => strings.long().toString
      case 1 => strings.next().toString
      case _ => ofFewLetters()
    }
    val (before, part, after) = cut(text)
    val pattern = random.nextInt(6) match {
      case 0 => strings.next().toString
      case 1 => part
      case _ => varied(part)
    }
    val changed = if (random.nextInt(3) == 0) before + varied(part) + varied(after) else text
    val start = if (random.nextBoolean()) 0 else random.nextInt(12)
    SearchCase(utf8(changed), utf8(pattern), start, strings.next())
  }

  /** Full of what begins like a pattern, and mostly of letters that stand alone. */
  private def ofFewLetters(): String = {
    def any(): String = SearchCases.Letters(random.nextInt(SearchCases.Letters.size))
    val letters = IndexedSeq.fill(1 + random.nextInt(4))(any())
    Seq.fill(1 + random.nextInt(20))(letters(random.nextInt(letters.size))).mkString
  }

  /** At the start, at the end, or anywhere. */
  private def cut(text: String): (String, String, String) = {
    val points = text.codePoints.toArray
    val size = random.nextInt(math.min(points.length, 6) + 1)
    val from = random.nextInt(4) match {
      case 0 => 0
      case 1 => points.length - size
      case _ => random.nextInt(points.length - size + 1)
    }
    def string(from: Int, until: Int) = new String(points, from, until - from)
    (string(0, from), string(from, from + size), string(from + size, points.length))
  }

  private def varied(text: String): String =
    Seq.fill(
      1 + random.nextInt(2)
    )(SearchCases.Variations(random.nextInt(SearchCases.Variations.size)))
      .foldLeft(text)((text, vary) => vary(text))

  /** Sometimes loses a byte, which leaves a character broken unless it is one of ASCII. */
  private def utf8(text: String): UTF8String = {
    val bytes = UTF8String.fromString(text).getBytes
    if (bytes.isEmpty || random.nextInt(25) != 0) UTF8String.fromBytes(bytes)
    else UTF8String.fromBytes(bytes.patch(random.nextInt(bytes.length), Nil, 1))
  }
}

final case class SearchCase(
    text: UTF8String,
    pattern: UTF8String,
    start: Int,
    replacement: UTF8String
)

object SearchCases {

  private val Letters: IndexedSeq[String] =
    ("aAäÄåáàâăąbcCçčdDđeEéÉèêëěęfﬁghHiIíïıİĳjJkKlLłŀmnNñňoOöÖøØóőpqrřsSßẞšşștTţuüűůvwxyYýzZžæÆœþð" +
      "01 .-_'·@\t\nσςΣωΩάжЖйЙёы中文龍漢かがガカー가한글אב丁😀").codePoints.toArray.toIndexedSeq
      .map(Character.toString)

  private val Variations: IndexedSeq[String => String] = {
    val pairs = Seq("ss" -> "ß", "ae" -> "æ", "fi" -> "ﬁ", "SS" -> "ẞ", "AE" -> "Æ", "ij" -> "ĳ")
    val swaps = (pairs ++ pairs.map(_.swap)).map { case (one, other) =>
      (text: String) => text.replace(one, other)
    }
    val edges = Seq("\u0301", "\u0308", "\u200D", "\r\n", " ", "  ", "h", "z", "\u00B7", "s", "ß")
    val added = edges.flatMap(edge => Seq[String => String](_ + edge, edge + _))
    val cases = Seq[String => String](_.toUpperCase(Locale.ROOT), _.toLowerCase(Locale.ROOT))
    val forms =
      Normalizer.Form.values.toSeq.map(form => (text: String) => Normalizer.normalize(text, form))
    val bare = (text: String) =>
      Normalizer.normalize(text, Normalizer.Form.NFD).replaceAll("\\p{M}", "")
    (swaps ++ added ++ cases ++ cases ++ cases ++ forms :+ bare :+ bare).toIndexedSeq
  }
}
