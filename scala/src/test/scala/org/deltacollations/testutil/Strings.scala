// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.testutil

import java.text.Normalizer
import java.util.Locale

import scala.util.Random

import org.apache.spark.unsafe.types.UTF8String

/**
 * Generates random strings of many scripts that are hard to compare. The strings depend only on the
 * seed, so that a failure can be reproduced.
 */
final class Strings(seed: Long) {

  private val random = new Random(seed)

  /** Returns a string of one or several scripts, sometimes malformed, possibly empty. */
  def next(): UTF8String = utf8(characters())

  /** Returns a concatenation of up to eight strings. */
  def long(): UTF8String = UTF8String.concat(Seq.fill(between(1, 8))(next()): _*)

  /** Returns two strings. Half of the time the second is a small modification of the first. */
  def pair(): (UTF8String, UTF8String) = {
    val first = characters()
    val second = if (random.nextBoolean()) characters() else modified(first)
    (utf8(first), utf8(second))
  }

  /** Returns 1 to 12 ASCII letters of mixed case. */
  def asciiWord(): UTF8String =
    UTF8String.fromString(Seq.fill(1 + random.nextInt(12))(pick(Strings.Ascii)).mkString)

  /**
   * Returns strings made of a few characters and their variants, among which a collation that is
   * not a total order is most likely detected.
   */
  def variants(size: Int): Seq[UTF8String] = {
    val script = pick(Strings.Scripts)
    val characters = Seq(pick(script), pick(script), pick(Strings.Marks), pick(Strings.Special))
    val variants = characters.flatMap(Strings.variants)
    Seq.fill(size)(UTF8String.fromString(Seq.fill(random.nextInt(4))(pick(variants)).mkString))
  }

  def between(low: Int, high: Int): Int = random.between(low, high + 1)

  private def characters(): Seq[String] = {
    val script = pick(Strings.Scripts)
    val character: () => String = random.nextInt(8) match {
      case 0 => () => anyCodePoint()
      case 1 | 2 => () => pick(pick(Strings.Scripts))
      case _ => () => pick(script)
    }
    Seq.fill(random.nextInt(9))(character())
  }

  /** Picks one of several ranges first, so that Han does not dominate. */
  private def anyCodePoint(): String = {
    val (low, high) = pick(Strings.Ranges)
    Character.toString(random.between(low, high))
  }

  private def modified(characters: Seq[String]): Seq[String] = {
    val at = random.nextInt(characters.size + 1)
    val (before, after) = characters.splitAt(at)
    random.nextInt(8) match {
      case 0 => before ++ after.drop(1)
      case 1 => before ++ (pick(Strings.Marks) +: after)
      case 2 => before ++ (pick(Strings.Special) +: after)
      case 3 => before ++ after.take(1).map(_.toUpperCase(Locale.ROOT)) ++ after.drop(1)
      case 4 => before ++ after.take(2).reverse ++ after.drop(2)
      case 5 => before ++ (pick(pick(Strings.Scripts)) +: after.drop(1))
      case 6 => characters.map(char => if (random.nextBoolean()) char.toUpperCase else char)
      case _ => characters :+ pick(Seq(" ", "  ", "a", "\u0301", "\u0000"))
    }
  }

  /** Sometimes makes the UTF-8 malformed by removing, inserting or replacing a byte. */
  private def utf8(characters: Seq[String]): UTF8String = {
    val bytes = UTF8String.fromString(characters.mkString).getBytes
    if (bytes.isEmpty || random.nextInt(12) != 0) UTF8String.fromBytes(bytes)
    else {
      val (before, after) = bytes.splitAt(random.nextInt(bytes.length))
      val byte = pick(Strings.BoundaryBytes).toByte
      UTF8String.fromBytes(random.nextInt(3) match {
        case 0 => before ++ after.drop(1)
        case 1 => (before :+ byte) ++ after
        case _ => (before :+ byte) ++ after.drop(1)
      })
    }
  }

  private def pick[A](from: Seq[A]): A = from(random.nextInt(from.size))
}

object Strings {

  /** The seed of this run, which `./dev` prints: another one in every run, and a fixed one in CI. */
  val Seed: Long = sys.env.get("DELTA_COLLATIONS_SEED").fold(1L)(_.toLong)

  private def characters(string: String): Seq[String] =
    string.codePoints.toArray.toSeq.map(Character.toString)

  private val Ascii = characters("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")

  /** Combining marks, many of which are reordered or decomposed by normalization. */
  private val Marks =
    characters(
      "\u0300\u0301\u0302\u0307\u0308\u030A\u030C\u0315\u0323\u0327\u0328\u0344\u0345" +
        "\u05B0\u064B\u0E48\u0F71\u0F72\u0F73\u3099\u309A\u20D0\uFE20"
    )

  /** Ignorable or invisible characters, and the lowest and highest code points. */
  private val Special =
    characters(
      "\u0000\u0001\t\n\u007F\u00AD\u034F\u200B\u200D\u2028\u2060\uFEFF\uFFFD\uFFFE\uFFFF"
    ) ++
      Seq(0x10ffff, 0x1f600, 0x1d400, 0xe0001, 0x11131, 0x10000).map(Character.toString)

  /** Contractions and expansions of some language, and parts of them. */
  private val Contractions =
    ("ch Ch cH CH c h dz dž Dž dzs DZS ddz lj LJ nj Nj ll Ll aa Aa aA AA cs Cs ccs sz SZ zs ty gy ly " +
      "ng ngg rr l· ŀ a\u030A A\u030A o\u0308 u\u0308 ss ß ẞ SS æ ae Æ AE ij ĳ fi ﬁ ŉ").split(
      ' '
    ).toSeq

  /** Returns a character in all cases and decomposed. */
  private def variants(character: String): Set[String] = {
    val steps = Seq[String => String](
      _.toUpperCase(Locale.ROOT),
      _.toLowerCase(Locale.ROOT),
      _.capitalize,
      string => string.take(1) + string.drop(1).toUpperCase(Locale.ROOT),
      Normalizer.normalize(_, Normalizer.Form.NFKD)
    )
    def extend(strings: Set[String]): Set[String] =
      strings ++ strings.flatMap(string => steps.map(_(string)))
    extend(extend(extend(Set(character))))
  }

  private val Ranges = Seq(
    (0x0000, 0x0600),
    (0x0000, 0x3400),
    (0x3400, 0xd800),
    (0xa000, 0xac00),
    (0xe000, 0x10000),
    (0xf900, 0x10000),
    (0x10000, 0x20000)
  )

  private val BoundaryBytes =
    Seq(0x00, 0x20, 0x41, 0x7f, 0x80, 0xa0, 0xbf, 0xc0, 0xc3, 0xe0, 0xed, 0xf0, 0xf4, 0xf5, 0xff)

  /** Syllables and letters with marks, whose elements depend on several code points. */
  private val Sequences: Seq[Seq[String]] = Seq(
    "เก่ ไท้ แม่ ใจ่ โเ เ แ กำ น้ำ ที่ ก็ ๆ เ่ ก",
    "ເກ່ ໄທ ແມ່ ໃຈ ກຳ ນ້ຳ ທີ່ ໜ ຫຼ ເ ກ",
    "क्ष ज़ त्र र्क टो टि क्\u200dष ऩ न\u093c ॐ क् क",
    "கொ கெ\u0bbe கௌ க்ஷ ஸ்ரீ ெ க",
    "কো কে\u09be ক্ষ ড় ড\u09bc ৎ ক ്ക കൊ കെ\u0d3e",
    "ཀྵ རྒྱ ཱི \u0f71\u0f72 ཀ \u0fb2\u0f71\u0f80",
    "မြ န် က္က ခြ\u103b တေ\u102c မ ក្ក ើ កា",
    "ế e\u0302\u0301 e\u0301\u0302 ệ e\u0323\u0302 e\u0302\u0323 ặ a\u0306\u0323 ơ o\u031b\u0301 đ e o",
    "שָׁ ש\u05bc\u05c1 ש\u05c1\u05bc בּ לֹ ו\u05b9 ש א",
    "مُ مَّ مّ\u064e ا\u0654 آ ا\u0653 لا ي\u0654 ئ م ا",
    "가 \u1100\u1161 각 가\u11a8 \u1100\u1161\u11a8 \u1100\u1100\u1161 \ua960\u1161\ud7b0 ㄱ",
    "カー ガー カ\u3099ー ばゝ か\u3099ゞ ハ\u309aー キャー ァー ｶﾞｰ ー カ ハ",
    "й и\u0306 И\u0306 ё е\u0308 ѷ ѵ\u030f и",
    "a\u0301 á\u0323 a\u0327\u0301 a\u0301\u0327 å a\u030a a\u034f\u0301 \u0301 a"
  ).map(_.split(' ').toSeq)

  private val Scripts: Seq[Seq[String]] = Sequences ++ Seq(
    Ascii,
    Ascii,
    characters("aAbBzZ") ++
      characters("áàâäãåāăąçčćďđéèêëěęğíìîïıİłľñňóòôöõőøřśšşșßťțúùûüűůýžźżÆæŒœÞþÐðŊŋĸſ"),
    Contractions,
    characters("αβγδεζησςΣΑΩάέώϊΰᾳᾼἀ"),
    characters("абвгдежзийклмнёїіўјљњџЁЙЯѐѓ"),
    characters("iIıİjJ") :+ "i\u0307",
    characters("กขคงจฉดตนบปรลสหอเแโใไาิีุู่้์ๆฯ"),
    characters("ກຂຄງຈດຕນບປລສຫອເແໂໃໄາິີຸູ່້"),
    characters("一丁丂七丄丈三上下不与丏丐丑专且豈更龍龜ㄅㄆ〇"),
    characters("あいうかがきぎはばぱやゃーアイウカガキギハバパヤャヽヾゝゞｱｶﾞｰ"),
    characters("가각간갈감강개나다라한글\u1100\u1161\u11A8\u1102\u1162\u11AB\u3131"),
    characters("ابتثجحخدذرزسشصضطعغفقكلمنهويءآأؤإئةىﷲﻻ"),
    characters("אבגדהוזחטיכךלמםנןסעפףצץקרשתשׁ"),
    characters("अआइईकखगघचछजझटठडतथदनपफबभमयरलवशसहक़ाििीुूेो्ंः"),
    characters("0123456789٠١٢①②½²Ⅷ٣"),
    characters(" !\"#$%&'()*+,-./:;<=>?@[]^_`{|}~€£¿«»–—…  "),
    characters("ab ") ++ Seq("  ", " \u00A0"),
    Marks ++ characters("aeou"),
    Special ++ characters("ab"),
    characters("😀😁🇩🇪👍🏽👨\u200D👩")
  )
}
