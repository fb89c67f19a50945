// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import org.apache.spark.sql.catalyst.util.{CollationAwareUTF8String, CollationSupport}
import org.apache.spark.unsafe.types.UTF8String

import org.scalatest.funsuite.AnyFunSuite

/** Checks, for every code point, what skipping assumes about `lower(c)` and `upper(c)`. */
class UpperCasePreimageSuite extends AnyFunSuite {

  private lazy val characters = (0 to Character.MAX_CODE_POINT)
    .filterNot(point => point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE)
    .map(Character.toString)

  /** Returns the string that UTF8_LCASE compares. */
  private def lowercase(text: UTF8String): String =
    CollationAwareUTF8String.lowerCaseCodePoints(text).toString

  private def utf8(text: String): UTF8String = UTF8String.fromString(text)

  private def upper(text: String): String =
    lowercase(CollationSupport.Upper.execLowercase(utf8(text)))

  private def lower(text: String): String =
    lowercase(CollationSupport.Lower.execLowercase(utf8(text)))

  test("lower does not change a string under UTF8_LCASE") {
    val changed = for {
      character <- characters
      text <- Seq(character, s"a$character", s"${character}a", s"a${character}a", s"$character ")
      if lower(text) != lowercase(utf8(text))
    } yield text
    assert(changed === Nil)
  }

  test("all characters that upper maps to ASCII are known") {
    val unknown = characters.filter { character =>
      val mapped = upper(character)
      val isAscii = mapped.forall(_ < 0x80)
      isAscii && !UpperCasePreimage.preimages(mapped, limit = 100).get.map(utf8).map(lowercase)
        .contains(lowercase(utf8(character)))
    }
    assert(unknown === Nil)
  }

  test("upper maps each character by itself") {
    val changed = for {
      character <- characters
      if upper(s"a${character}b") != s"a${upper(character)}b"
    } yield character
    assert(changed === Nil)
  }

  test("preimages are all strings that upper maps to the string") {
    val preimages = UpperCasePreimage.preimages("Staffi", limit = 100).get
    assert(preimages.toSet.size === preimages.size)
    assert(preimages.forall(upper(_) == "staffi"))
    assert(Seq("staffi", "ſtaffı", "ﬆaﬀi", "ﬅaﬃ").forall(preimages.contains))
  }

  test("preimages returns None for non-ASCII strings and above the limit") {
    assert(UpperCasePreimage.preimages("ÉVRY", limit = 100) === None)
    assert(UpperCasePreimage.preimages("MISSISSIPPI", limit = 100) === None)
    assert(UpperCasePreimage.preimages("", limit = 100) === Some(Seq("")))
  }
}
