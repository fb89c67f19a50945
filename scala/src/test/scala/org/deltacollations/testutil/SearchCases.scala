// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.testutil

import java.text.Normalizer
import java.util.Locale

import scala.util.Random

import org.apache.spark.unsafe.types.UTF8String

/**
 * Generates random texts of many scripts, and patterns that match or almost match. The cases depend
 * only on the seed.
 */
final class SearchCases(seed: Long) {

  private val random = new Random(seed)
  private val strings = new Strings(seed)

  def next(): SearchCase = {
    val text = random.nextInt(6) match {
      case 0 => strings.long().toString
      case 1 => strings.next().toString
      case _ => repetitive()
    }
    val (before, part, after) = split(text)
    val pattern = random.nextInt(6) match {
      case 0 => strings.next().toString
      case 1 => part
      case _ => varied(part)
    }
    val changed = if (random.nextInt(3) == 0) before + varied(part) + varied(after) else text
    val start = if (random.nextBoolean()) 0 else random.nextInt(12)
    SearchCase(utf8(changed), utf8(pattern), start, strings.next())
  }

  /** Repeats a few characters, so that a text has many partial matches of a pattern. */
  private def repetitive(): String = {
    val characters = IndexedSeq.fill(1 + random.nextInt(4))(pick(SearchCases.Characters))
    Seq.fill(1 + random.nextInt(20))(pick(characters)).mkString
  }

  /** Splits a text before and after a short part at its start, at its end, or anywhere. */
  private def split(text: String): (String, String, String) = {
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
    Seq.fill(1 + random.nextInt(2))(pick(SearchCases.Variations))
      .foldLeft(text)((text, vary) => vary(text))

  private def pick[A](from: IndexedSeq[A]): A = from(random.nextInt(from.size))

  /** Sometimes removes a byte, which leaves malformed UTF-8 unless it is ASCII. */
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

  private val Characters: IndexedSeq[String] =
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
    val withoutMarks = (text: String) =>
      Normalizer.normalize(text, Normalizer.Form.NFD).replaceAll("\\p{M}", "")
    (swaps ++ added ++ cases ++ cases ++ cases ++ forms :+ withoutMarks :+
      withoutMarks).toIndexedSeq
  }
}
