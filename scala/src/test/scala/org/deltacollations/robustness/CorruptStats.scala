// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.robustness

import scala.util.Random

import org.deltacollations.robustness.OddJson.{nested, obj, quoted}

/**
 * Statistics of a file with the values `Anna`, `bob` and `zoë`, after something happened to them.
 *
 * @param mustBeRead
 *   whether the damage can be seen, or did no harm. What is well formed and wrong is a lie, which
 *   nobody can see.
 */
final case class CorruptStats(text: String, mustBeRead: Boolean)

object CorruptStats {

  val Column: Seq[String] = Seq("name")

  /** By any order, nothing in the file is within these. */
  private val absurd = bounds(quoted("\uffff"), quoted("\uffff"))

  private def bounds(min: String, max: String): String =
    obj("minValues" -> obj("name" -> min), "maxValues" -> obj("name" -> max))

  private def stats(collated: String, rows: String = "3", nulls: String = obj("name" -> "0")) =
    obj("numRecords" -> rows, "nullCount" -> nulls, "statsWithCollation" -> collated)

  def fresh(key: String): String =
    stats(obj(key -> bounds(quoted("Anna"), quoted("zoë"))))

  /** @param key the identifier with version that a reader looks for */
  def next(key: String, chance: Random): CorruptStats = {
    val odd = new OddJson(chance)
    val sound = fresh(key)
    def read(text: String): CorruptStats = CorruptStats(text, mustBeRead = true)
    def half(good: String, bad: String): String =
      if (chance.nextBoolean()) bounds(good, bad) else bounds(bad, good)
    // Bounds that would leave the file out, if only they counted.
    chance.nextInt(16) match {
      case 0 => CorruptStats(odd.scrambled(sound), mustBeRead = false)
      case 1 => read(stats(obj(key -> absurd)).dropRight(1 + chance.nextInt(60)))
      case 2 => read(stats(obj(key -> half(quoted("\uffff"), odd.value().replace("\"\"", "7")))))
      case 3 => read(stats(obj(key -> bounds(quoted("zoë"), quoted("Anna")))))
      case 4 => read(stats(obj(other(key, odd, chance) -> absurd)))
      case 5 => read(stats(s"{${quoted(key)}:$absurd,${quoted(key)}:$absurd}"))
      case 6 =>
        val (broken, place) = (odd.pick(Seq("\ud800", "\udfff", "\ufffd")), chance.nextInt(3))
        val bound = quoted("\uffff\uffff".patch(place, broken, 0))
        read(stats(obj(key -> odd.pick(Seq(bounds(bound, bound), half(quoted("\uffff"), bound))))))
      case 7 => read(stats(obj(key -> absurd)) + odd.pick(Seq("x", "{}", ",", "]", "\u0000", "7")))
      case 8 => read(stats(odd.value()))
      case 9 => read(stats(obj(key -> odd.value())))
      case 10 =>
        read(s"""{"x":${nested(odd.pick(Seq(1001, 10000)))},"statsWithCollation":${obj(key ->
            absurd)}}""")
      case 11 =>
        read(stats(obj(key -> bounds(quoted("Anna"), quoted("zoë"))), odd.value(), odd.value()))
      case 12 => read(s"""{"numRecords":NaN,"statsWithCollation":${obj(key -> absurd)}}""")
      case 13 => read(obj(
          "numRecords" -> "3",
          "numRecords" -> "3",
          "statsWithCollation" -> obj(key -> absurd)
        ))
      case 14 => read(stats(obj(key -> obj("minValues" -> obj("name" -> quoted("\uffff"))))))
      case _ =>
        read(odd.pick(Seq("", "null", "[]", "\"x\"", "7", "{", "\u0000", "\ud800", odd.value())))
    }
  }

  /** So large that a run has only a few of them. */
  def huge(key: String, number: Int): CorruptStats = number % 4 match {
    case 0 =>
      val keys = (0 until 100000).map(number => s"${quoted(s"$key.$number")}:$absurd")
      CorruptStats(stats(keys.mkString("{", ",", "}")), mustBeRead = true)
    case 1 =>
      CorruptStats(stats(obj(key -> bounds(quoted("A" * 1000000), quoted("z" * 1000000)))), true)
    case 2 => CorruptStats(stats(obj((key + "\u0301\u0315" * 250000) -> absurd)), mustBeRead = true)
    case _ =>
      val marks = "a" + "\u0315\u0301\u0323" * 300000
      CorruptStats(stats(obj(key -> bounds(quoted(marks), quoted("zz" + marks)))), true)
  }

  private def other(key: String, odd: OddJson, chance: Random): String = {
    val changed = chance.nextInt(6) match {
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
