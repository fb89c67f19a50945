// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.robustness

import scala.util.Random

import org.deltacollations.robustness.OddJson.{nested, obj, quoted}

/**
 * Corrupt statistics of a file with the values `Anna`, `bob` and `zoë`.
 *
 * @param mustBeRead
 *   whether the file must not be skipped for `BOB`, because the corruption is detectable or harmless.
 *   Well-formed but wrong statistics are not detectable.
 */
final case class CorruptStats(text: String, mustBeRead: Boolean)

object CorruptStats {

  val Column: Seq[String] = Seq("name")

  /** Bounds that exclude all values of the file, in every order. */
  private val excluding = bounds(quoted("\uffff"), quoted("\uffff"))

  private def bounds(min: String, max: String): String =
    obj("minValues" -> obj("name" -> min), "maxValues" -> obj("name" -> max))

  private def stats(collated: String, rows: String = "3", nulls: String = obj("name" -> "0")) =
    obj("numRecords" -> rows, "nullCount" -> nulls, "statsWithCollation" -> collated)

  def fresh(key: String): String =
    stats(obj(key -> bounds(quoted("Anna"), quoted("zoë"))))

  /** @param key the versioned identifier that the reader uses */
  def next(key: String, random: Random): CorruptStats = {
    val odd = new OddJson(random)
    val valid = fresh(key)
    def mustRead(text: String): CorruptStats = CorruptStats(text, mustBeRead = true)
    def oneInvalid(good: String, bad: String): String =
      if (random.nextBoolean()) bounds(good, bad) else bounds(bad, good)
    // The file would be skipped if these bounds were used.
    random.nextInt(16) match {
      case 0 => CorruptStats(odd.scrambled(valid), mustBeRead = false)
      case 1 => mustRead(stats(obj(key -> excluding)).dropRight(1 + random.nextInt(60)))
      case 2 =>
        mustRead(stats(obj(key -> oneInvalid(quoted("\uffff"), odd.value().replace("\"\"", "7")))))
      case 3 => mustRead(stats(obj(key -> bounds(quoted("zoë"), quoted("Anna")))))
      case 4 => mustRead(stats(obj(other(key, odd, random) -> excluding)))
      case 5 => mustRead(stats(s"{${quoted(key)}:$excluding,${quoted(key)}:$excluding}"))
      case 6 =>
        val (invalid, place) = (odd.pick(Seq("\ud800", "\udfff", "\ufffd")), random.nextInt(3))
        val bound = quoted("\uffff\uffff".patch(place, invalid, 0))
        mustRead(stats(obj(key ->
          odd.pick(Seq(bounds(bound, bound), oneInvalid(quoted("\uffff"), bound))))))
      case 7 =>
        mustRead(stats(obj(key -> excluding)) + odd.pick(Seq("x", "{}", ",", "]", "\u0000", "7")))
      case 8 => mustRead(stats(odd.value()))
      case 9 => mustRead(stats(obj(key -> odd.value())))
      case 10 =>
        mustRead(s"""{"x":${nested(odd.pick(Seq(1001, 10000)))},"statsWithCollation":${obj(key ->
            excluding)}}""")
      case 11 =>
        mustRead(stats(obj(key -> bounds(quoted("Anna"), quoted("zoë"))), odd.value(), odd.value()))
      case 12 => mustRead(s"""{"numRecords":NaN,"statsWithCollation":${obj(key -> excluding)}}""")
      case 13 => mustRead(obj(
          "numRecords" -> "3",
          "numRecords" -> "3",
          "statsWithCollation" -> obj(key -> excluding)
        ))
      case 14 => mustRead(stats(obj(key -> obj("minValues" -> obj("name" -> quoted("\uffff"))))))
      case _ =>
        mustRead(odd.pick(Seq(
          "",
          "null",
          "[]",
          "\"x\"",
          "7",
          "{",
          "\u0000",
          "\ud800",
          odd.value()
        )))
    }
  }

  /** Generates very large statistics, of which a run checks only a few. */
  def huge(key: String, number: Int): CorruptStats = number % 4 match {
    case 0 =>
      val keys = (0 until 100000).map(number => s"${quoted(s"$key.$number")}:$excluding")
      CorruptStats(stats(keys.mkString("{", ",", "}")), mustBeRead = true)
    case 1 =>
      CorruptStats(stats(obj(key -> bounds(quoted("A" * 1000000), quoted("z" * 1000000)))), true)
    case 2 =>
      CorruptStats(stats(obj((key + "\u0301\u0315" * 250000) -> excluding)), mustBeRead = true)
    case _ =>
      val marks = "a" + "\u0315\u0301\u0323" * 300000
      CorruptStats(stats(obj(key -> bounds(quoted(marks), quoted("zz" + marks)))), true)
  }

  private def other(key: String, odd: OddJson, random: Random): String = {
    val changed = random.nextInt(6) match {
      case 0 => key + odd.pick(Seq(" ", ".0", "\u0000", ".", "\ud800"))
      case 1 => key.take(key.lastIndexOf('.'))
      case 2 => "acme" + key.dropWhile(_ != '.')
      case 3 => key.replace("UNICODE_CI", odd.name())
      case 4 => odd.identifier() + ".1"
      case _ => odd.identifier()
    }
    if (changed.equalsIgnoreCase(key)) "x" else changed
  }
}
