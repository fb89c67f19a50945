// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.robustness

import scala.util.Random

import org.deltacollations.robustness.OddJson.{nested, obj, quoted}

/** Generates schemas with valid and invalid collations. */
object CorruptSchema {

  private val AsWritten = "__COLLATIONS_AS_WRITTEN"

  def next(random: Random): String = {
    val odd = new OddJson(random)
    val text = struct(odd, random, 1 + random.nextInt(4), depth = 2)
    if (random.nextInt(4) == 0) odd.scrambled(text) else text
  }

  def huge(number: Int): String = number % 5 match {
    case 0 => top(field(
        "c",
        quoted("string"),
        collations((0 until 100000).map(n => s"c$n" -> quoted("icu.de")))
      ))
    case 1 =>
      top(field("c", arrays(300), collations(Seq("c" + ".element" * 300 -> quoted("icu.de")))))
    case 2 => top(field("c", arrays(980), collations(Seq("c" -> quoted("icu.de")))))
    case 3 => top(field("c", quoted("string"), obj("__COLLATIONS" -> nested(10000))))
    case _ => top(field(
        "x" * 1000000,
        quoted("string"),
        collations(Seq("x" * 1000000 -> quoted("icu." + "_CI" * 300000)))
      ))
  }

  private def arrays(depth: Int): String =
    """{"type":"array","containsNull":true,"elementType":""" * depth + quoted("string") +
      "}" * depth

  private def top(fields: String*): String =
    obj("type" -> quoted("struct"), "fields" -> fields.mkString("[", ",", "]"))

  private def field(name: String, dataType: String, metadata: String): String =
    obj("name" -> quoted(name), "type" -> dataType, "nullable" -> "true", "metadata" -> metadata)

  private def collations(entries: Seq[(String, String)]): String =
    obj("__COLLATIONS" -> obj(entries: _*))

  private def struct(odd: OddJson, random: Random, size: Int, depth: Int): String =
    top(Seq.fill(size) {
      val name = odd.name()
      val (dataType, paths) = dataTypeWithPaths(odd, random, depth)
      field(name, dataType, metadata(name, paths, odd, random))
    }: _*)

  /** Returns a type and the paths to its strings. */
  private def dataTypeWithPaths(odd: OddJson, random: Random, depth: Int): (String, Seq[String]) =
    (if (depth == 0) 0 else random.nextInt(8)) match {
      case 5 =>
        val (inner, paths) = dataTypeWithPaths(odd, random, depth - 1)
        obj("type" -> quoted("array"), "elementType" -> inner, "containsNull" -> "true") ->
          paths.map(".element" + _)
      case 6 =>
        val (inner, paths) = dataTypeWithPaths(odd, random, depth - 1)
        obj(
          "type" -> quoted("map"),
          "keyType" -> quoted("string"),
          "valueType" -> inner,
          "valueContainsNull" -> "true"
        ) -> (".key" +: paths.map(".value" + _))
      case 7 => struct(odd, random, 2, depth - 1) -> Nil
      case 4 => odd.pick(Seq(quoted("integer"), quoted("varchar(3)"), odd.value())) -> Seq("")
      case _ => quoted("string") -> Seq("")
    }

  private def metadata(name: String, paths: Seq[String], odd: OddJson, random: Random): String =
    random.nextInt(8) match {
      case 0 => "{}"
      case 1 => odd.value()
      case 2 => obj("__COLLATIONS" -> odd.value(), "comment" -> quoted(odd.name()))
      case 3 =>
        obj("__COLLATIONS" -> obj(name -> quoted("icu.de"), name -> quoted(odd.identifier())))
      case 4 => obj(
          AsWritten -> odd.pick(Seq(odd.value(), quoted(odd.value()), stash(odd))),
          "__COLLATIONS" -> obj(name -> quoted(odd.identifier()))
        )
      case 5 => collations(Seq(odd.name() +
          odd.pick(Seq(".element", "..", ".", ".value.key", "")) -> odd.value()))
      case _ =>
        collations(paths.map(path => name + path -> quoted(odd.identifier())) ++
          Seq.fill(random.nextInt(2))(odd.name() -> quoted(odd.identifier())))
    }

  private def stash(odd: OddJson): String =
    quoted(obj(
      "strings" -> obj(odd.pick(Seq("", ".element")) ->
        odd.pick(Seq(odd.value(), obj("written" -> odd.value())))),
      "others" -> odd.value()
    ))
}
