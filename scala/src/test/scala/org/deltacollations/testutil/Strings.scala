// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.testutil

import java.text.Normalizer
import java.util.Locale

import scala.util.Random

import org.apache.spark.unsafe.types.UTF8String

/**
 * Strings of many scripts, made to be hard to compare. The same seed gives the same strings, so a
 * failure that names its seed can be run again.
 */
final class Strings(seed: Long) {

  private val random = new Random(seed)

  /** A string of one script, or of several, or of broken UTF-8. May be empty. */
  def next(): UTF8String = utf8(text())

  /** A string of up to some forty characters. */
  def long(): UTF8String = UTF8String.concat(Seq.fill(between(1, 8))(next()): _*)

  /** Two strings: half of the time they agree but for a letter, a mark, a case or an end. */
  def pair(): (UTF8String, UTF8String) = {
    val first = text()
    val second = if (random.nextBoolean()) text() else nearly(first)
    (utf8(first), utf8(second))
  }

  /** A word of the letters a to z, in any case, of 1 to 12 letters. */
  def asciiWord(): UTF8String =
    UTF8String.fromString(Seq.fill(1 + random.nextInt(12))(pick(Strings.Ascii)).mkString)

  /** Strings of a few letters and their relatives: if an order breaks a law, then among such. */
  def family(size: Int): Seq[UTF8String] = {
    val script = pick(Strings.Scripts)
    val letters = Seq(pick(script), pick(script), pick(Strings.Marks), pick(Strings.Odd))
    val relatives = letters.flatMap(Strings.relatives)
    Seq.fill(size)(UTF8String.fromString(Seq.fill(random.nextInt(4))(pick(relatives)).mkString))
  }

  def between(low: Int, high: Int): Int = random.between(low, high + 1)

  private def text(): Seq[String] = {
    val one = pick(Strings.Scripts)
    val letter: () => String = random.nextInt(8) match {
      case 0 => () => anyLetter()
      case 1 | 2 => () => pick(pick(Strings.Scripts))
      case _ => () => pick(one)
    }
    Seq.fill(random.nextInt(9))(letter())
  }

  /** Any code point, but not a third of them Han. */
  private def anyLetter(): String = {
    val (low, high) = pick(Strings.Planes)
    Character.toString(random.between(low, high))
  }

  private def nearly(letters: Seq[String]): Seq[String] = {
    val at = random.nextInt(letters.size + 1)
    val (before, after) = letters.splitAt(at)
    random.nextInt(8) match {
      case 0 => before ++ after.drop(1)
      case 1 => before ++ (pick(Strings.Marks) +: after)
      case 2 => before ++ (pick(Strings.Odd) +: after)
      case 3 => before ++ after.take(1).map(_.toUpperCase(Locale.ROOT)) ++ after.drop(1)
      case 4 => before ++ after.take(2).reverse ++ after.drop(2)
      case 5 => before ++ (pick(pick(Strings.Scripts)) +: after.drop(1))
      case 6 => letters.map(letter => if (random.nextBoolean()) letter.toUpperCase else letter)
      case _ => letters :+ pick(Seq(" ", "  ", "a", "\u0301", "\u0000"))
    }
  }

  /** Sometimes breaks the UTF-8: a byte changes, is lost or comes in. */
  private def utf8(letters: Seq[String]): UTF8String = {
    val bytes = UTF8String.fromString(letters.mkString).getBytes
    if (bytes.isEmpty || random.nextInt(12) != 0) UTF8String.fromBytes(bytes)
    else {
      val (before, after) = bytes.splitAt(random.nextInt(bytes.length))
      val odd = pick(Strings.OddBytes).toByte
      UTF8String.fromBytes(random.nextInt(3) match {
        case 0 => before ++ after.drop(1)
        case 1 => (before :+ odd) ++ after
        case _ => (before :+ odd) ++ after.drop(1)
      })
    }
  }

  private def pick[A](from: Seq[A]): A = from(random.nextInt(from.size))
}

object Strings {

  private def letters(text: String): Seq[String] =
    text.codePoints.toArray.toSeq.map(Character.toString)

  private val Ascii = letters("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")

  /** Many swap places, and some are made of others. */
  private val Marks =
    letters(
      "\u0300\u0301\u0302\u0307\u0308\u030A\u030C\u0315\u0323\u0327\u0328\u0344\u0345" +
        "\u05B0\u064B\u0E48\u0F71\u0F72\u0F73\u3099\u309A\u20D0\uFE20"
    )

  /** Ignored, invisible, first or last of all. */
  private val Odd =
    letters("\u0000\u0001\t\n\u007F\u00AD\u034F\u200B\u200D\u2028\u2060\uFEFF\uFFFD\uFFFE\uFFFF") ++
      Seq(0x10ffff, 0x1f600, 0x1d400, 0xe0001, 0x11131, 0x10000).map(Character.toString)

  /** Letters that some language sorts as one. */
  private val Contracted =
    ("ch Ch cH CH c h dz dž Dž dzs DZS ddz lj LJ nj Nj ll Ll aa Aa aA AA cs Cs ccs sz SZ zs ty gy ly " +
      "ng ngg rr l· ŀ a\u030A A\u030A o\u0308 u\u0308 ss ß ẞ SS æ ae Æ AE ij ĳ fi ﬁ ŉ").split(
      ' '
    ).toSeq

  /** A letter in every case, and what it is made of. */
  private def relatives(letter: String): Set[String] = {
    val steps = Seq[String => String](
      _.toUpperCase(Locale.ROOT),
      _.toLowerCase(Locale.ROOT),
      _.capitalize,
      text => text.take(1) + text.drop(1).toUpperCase(Locale.ROOT),
      Normalizer.normalize(_, Normalizer.Form.NFKD)
    )
    def more(known: Set[String]): Set[String] = known ++ known.flatMap(text => steps.map(_(text)))
    more(more(more(Set(letter))))
  }

  private val Planes = Seq(
    (0x0000, 0x0600),
    (0x0000, 0x3400),
    (0x3400, 0xd800),
    (0xa000, 0xac00),
    (0xe000, 0x10000),
    (0xf900, 0x10000),
    (0x10000, 0x20000)
  )

  private val OddBytes =
    Seq(0x00, 0x20, 0x41, 0x7f, 0x80, 0xa0, 0xbf, 0xc0, 0xc3, 0xe0, 0xed, 0xf0, 0xf4, 0xf5, 0xff)

  private val Scripts: Seq[Seq[String]] = Seq(
    Ascii,
    Ascii,
    letters("aAbBzZ") ++
      letters("áàâäãåāăąçčćďđéèêëěęğíìîïıİłľñňóòôöõőøřśšşșßťțúùûüűůýžźżÆæŒœÞþÐðŊŋĸſ"),
    Contracted,
    letters("αβγδεζησςΣΑΩάέώϊΰᾳᾼἀ"),
    letters("абвгдежзийклмнёїіўјљњџЁЙЯѐѓ"),
    letters("iIıİjJ") :+ "i\u0307",
    letters("กขคงจฉดตนบปรลสหอเแโใไาิีุู่้์ๆฯ"),
    letters("ກຂຄງຈດຕນບປລສຫອເແໂໃໄາິີຸູ່້"),
    letters("一丁丂七丄丈三上下不与丏丐丑专且豈更龍龜ㄅㄆ〇"),
    letters("あいうかがきぎはばぱやゃーアイウカガキギハバパヤャヽヾゝゞｱｶﾞｰ"),
    letters("가각간갈감강개나다라한글\u1100\u1161\u11A8\u1102\u1162\u11AB\u3131"),
    letters("ابتثجحخدذرزسشصضطعغفقكلمنهويءآأؤإئةىﷲﻻ"),
    letters("אבגדהוזחטיכךלמםנןסעפףצץקרשתשׁ"),
    letters("अआइईकखगघचछजझटठडतथदनपफबभमयरलवशसहक़ाििीुूेो्ंः"),
    letters("0123456789٠١٢①②½²Ⅷ٣"),
    letters(" !\"#$%&'()*+,-./:;<=>?@[]^_`{|}~€£¿«»–—…  "),
    letters("ab ") ++ Seq("  ", " \u00A0"),
    Marks ++ letters("aeou"),
    Odd ++ letters("ab"),
    letters("😀😁🇩🇪👍🏽👨\u200D👩")
  )
}
