// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import org.apache.spark.sql.catalyst.util.{CollationAwareUTF8String, CollationSupport}
import org.apache.spark.unsafe.types.UTF8String

import org.scalatest.funsuite.AnyFunSuite

/** What is looked through when a filter asks for `lower(c)` or `upper(c)`, for every character. */
class UpperCasePreimageSuite extends AnyFunSuite {

  private lazy val characters = (0 to Character.MAX_CODE_POINT)
    .filterNot(point => point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE)
    .map(Character.toString)

  /** What UTF8_LCASE compares. */
  private def letters(text: UTF8String): String =
    CollationAwareUTF8String.lowerCaseCodePoints(text).toString

  private def utf8(text: String): UTF8String = UTF8String.fromString(text)

  private def upper(text: String): String =
    letters(CollationSupport.Upper.execLowercase(utf8(text)))

  private def lower(text: String): String =
    letters(CollationSupport.Lower.execLowercase(utf8(text)))

  test("lower case makes no difference to UTF8_LCASE, wherever a character stands") {
    val changed = for {
      character <- characters
      text <- Seq(character, s"a$character", s"${character}a", s"a${character}a", s"$character ")
      if lower(text) != letters(utf8(text))
    } yield text
    assert(changed === Nil)
  }

  test("every character that becomes plain letters in upper case is known") {
    val unknown = characters.filter { character =>
      val becomes = upper(character)
      val isPlain = becomes.forall(_ < 0x80)
      isPlain && !UpperCasePreimage.sources(becomes, limit = 100).get.map(utf8).map(letters)
        .contains(letters(utf8(character)))
    }
    assert(unknown === Nil)
  }

  test("upper case is made of each character alone") {
    val changed = for {
      character <- characters
      if upper(s"a${character}b") != s"a${upper(character)}b"
    } yield character
    assert(changed === Nil)
  }

  test("the sources of a text are all that become it") {
    val sources = UpperCasePreimage.sources("Staffi", limit = 100).get
    assert(sources.toSet.size === sources.size)
    assert(sources.forall(upper(_) == "staffi"))
    assert(Seq("staffi", "ſtaffı", "ﬆaﬀi", "ﬅaﬃ").forall(sources.contains))
  }

  test("there are no known sources of what is not plain, or of too much") {
    assert(UpperCasePreimage.sources("ÉVRY", limit = 100) === None)
    assert(UpperCasePreimage.sources("MISSISSIPPI", limit = 100) === None)
    assert(UpperCasePreimage.sources("", limit = 100) === Some(Seq("")))
  }
}
