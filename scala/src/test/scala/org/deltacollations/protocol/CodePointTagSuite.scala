// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import scala.util.Random

import com.fasterxml.jackson.databind.JsonNode
import org.deltacollations.collation.unicode.CodePointSet
import org.deltacollations.collation.versions.ColumnCodePoints
import org.scalatest.funsuite.AnyFunSuite

class CodePointTagSuite extends AnyFunSuite {

  private val name = Seq("name")

  private val city = Seq("home", "city")

  private val tag = """{"4:name":"4 6","4:home4:city":""}"""

  private val carrier = s""""${CodePointTag.Name}":$tag"""

  private def codePoints(tag: String): ColumnCodePoints =
    ColumnCodePoints(Map(CodePointTag.Name -> tag))

  test("a tag lists the code points of each column, which may have none") {
    assert(codePoints(tag).of(name) === CodePointSet.parse("40-4f 60-6f"))
    assert(codePoints(tag).of(city) === Some(CodePointSet.Empty))
    assert(codePoints(tag).of(Seq("city")) === None)
  }

  test("the code points of a column are unknown when the tag is missing or malformed") {
    assert(ColumnCodePoints(null).of(name) === None)
    assert(ColumnCodePoints(Map.empty).of(name) === None)
    val malformed = Seq(
      null,
      "",
      "{",
      "[]",
      "7",
      """"4 6"""",
      "null",
      """{"4:name":7}""",
      """{"4:name":["4"]}""",
      """{"4:name":null}""",
      """{"4:name":"4 6","4:name":"4 6"}""",
      """{"4:name":"4 6"}}""",
      """{"4:name":"4 6"} x""",
      """{"4:name":{"x":"4"}}""",
      """{"name":"4 6"}""",
      """{"4:name":"""" + "4 " * 100000 + """"}""",
      """{"x":""" + "[" * 100000 + "}",
      """{"x":"""" + "y" * (1 << 20) + """","4:name":"4 6"}"""
    )
    assert(malformed.filter(codePoints(_).of(name).isDefined) === Nil)
  }

  private val number = """"numRecords":1"""

  private val bounds =
    """"minValues":{"x":1.50E3,"y":"a,\"deltaCollations.codePoints\":{}","z":"🙂"}"""

  test("extract removes the carrier field wherever it is and changes nothing else") {
    for (
      (stats, rest) <- Seq(
        s"{$number,$bounds,$carrier}" -> s"{$number,$bounds}",
        s"{$number,$carrier,$bounds}" -> s"{$number,$bounds}",
        s"{$carrier,$number,$bounds}" -> s"{$number,$bounds}",
        s"{$carrier}" -> "{}",
        s" { $number ,\t$carrier\n, $bounds } " -> s" { $number \n, $bounds } ",
        s" { $carrier , $bounds } " -> s" { $bounds } ",
        s"{ $carrier }" -> "{  }"
      )
    )
      assert(CodePointTag.extract(stats) === rest -> Some(tag))
  }

  test("extract recognizes the carrier field when its name has escapes") {
    val escaped = s""""deltaCollations\\u002ecodePoin\\u0074s":$tag"""
    assert(CodePointTag.extract(s"{$escaped,$number}") === s"{$number}" -> Some(tag))
  }

  test("extract leaves statistics without exactly one carrier field unchanged") {
    val unchanged = Seq(
      null,
      "",
      "{}",
      s"[$tag]",
      s"{$number}",
      s"{$carrier,$carrier}",
      s"""{$carrier,"deltaCollations\\u002ecodePoints":$tag}""",
      s"[{$carrier}]",
      s"""{"x":{$carrier}}""",
      s"{$carrier",
      s"{$number,$carrier,}",
      s"{$number $carrier}",
      s"{$carrier} {}",
      s"{$carrier}}",
      s"{$carrier} x",
      s"""{$carrier,"x":${"[" * 2000}${"]" * 2000}}""",
      s"""{"x":tru,$carrier}"""
    ) ++ Seq("7", "null", "[]", "\"{}\"", """{"a":1,"a":2}""", "{", """"x}"""").map { value =>
      s"""{"${CodePointTag.Name}":$value,$number}"""
    }
    for (stats <- unchanged) assert(CodePointTag.extract(stats) === ((stats, None)))
  }

  test("extract ignores a column with the name of the carrier field") {
    val column = CodePointTag.Name
    val stats = Seq(
      s"""{"numRecords":1,"minValues":{"a":1,"$column":"x"},"nullCount":{"a":0,"$column":0}}""",
      s"""{"numRecords":1,"nullCount":{"a":0,"$column":{"b":0}}}""",
      s"""{"numRecords":1,"minValues":{"a":1,"$column":{"b":"{"}},"nullCount":{"a":0}}"""
    )
    for (before <- stats) {
      assert(CodePointTag.extract(before) === before -> None)
      val own = s"""{"${CodePointTag.key(Seq(column))}":"4"}"""
      assert(
        CodePointTag.extract(s"""${before.dropRight(1)},"$column":$own}""") === before -> Some(own)
      )
    }
  }

  test("extract removes one range of characters from random statistics, seed 5") {
    val random = new RandomStats(new Random(5))
    for (_ <- 1 to 3000) {
      val fields = random.fields()
      val index = random.upTo(fields.size)
      val stats = random.spaced(fields.patch(index, Seq(random.spelled(carrier)), 0))
      val (rest, found) = CodePointTag.extract(stats)
      assert(found === Some(tag), stats)
      assert(read(rest) === read(fields.mkString("{", ",", "}")), stats)
      val prefix = stats.zip(rest).takeWhile { case (left, right) => left == right }.size
      assert(stats.endsWith(rest.drop(prefix)), stats)

      val compact = fields.patch(index, Seq(carrier), 0).mkString("{", ",", "}")
      assert(CodePointTag.extract(compact) === fields.mkString("{", ",", "}") -> Some(tag))
    }
  }

  test("extract leaves random malformed statistics unchanged, seed 6") {
    val random = new RandomStats(new Random(6))
    for (_ <- 1 to 3000) {
      val fields = random.fields()
      val index = random.upTo(fields.size)
      val once = fields.patch(index, Seq(random.spelled(carrier)), 0)
      val stats = random.spaced(once).trim
      val malformed = Seq(
        stats.take(random.upTo(stats.length - 1)),
        stats + random.pick(Seq("x", "}", "{}", ",", "\u0000")),
        random.spaced(once.patch(random.upTo(once.size), Seq(random.spelled(carrier)), 0)),
        random.spaced(once.patch(random.upTo(once.size), Seq("\"a\" 1"), 0))
      )
      for (text <- malformed) assert(CodePointTag.extract(text) === ((text, None)))
    }
  }

  private def read(text: String): Option[JsonNode] = LogJson.read(text)

  test("merged replaces the columns that were read again and keeps the others") {
    def merged(previous: String): String =
      CodePointTag.merged(Map(CodePointTag.Name -> previous), """{"4:name":"4"}""")
    assert(merged(tag) === """{"4:name":"4","4:home4:city":""}""")
    assert(merged("""{ "4:name" : "4" }""") === """{ "4:name" : "4" }""")
    for (malformed <- Seq(null, "", "[]", "{")) assert(merged(malformed) === """{"4:name":"4"}""")
    assert(CodePointTag.merged(null, tag) === tag)
  }
}

/** Random statistics: fields with nested values in which the name of the carrier field occurs. */
final private class RandomStats(random: Random) {

  /** Returns a number between 0 and `max`, both inclusive. */
  def upTo(max: Int): Int = random.nextInt(max + 1)

  def pick[T](choices: Seq[T]): T = choices(random.nextInt(choices.size))

  /** Returns up to five fields, not one of which is the carrier field. */
  def fields(): Seq[String] = Seq.fill(random.nextInt(6)) {
    val name =
      pick(Seq("numRecords", "é🙂", "", "a\\\"b", "\\ud83d", "deltaCollations.code", "x,y"))
    s""""$name":${value(3)}"""
  }

  /** Joins fields to an object, with random white space between the tokens. */
  def spaced(fields: Seq[String]): String =
    fields.map(field => space() + field + space()).mkString(space() + "{", ",", "}" + space())

  /** Replaces some characters of the carrier's name with JSON escapes. */
  def spelled(carrier: String): String = {
    val (name, value) = carrier.splitAt(carrier.indexOf(':'))
    val characters = name.substring(1, name.length - 1).map { char =>
      if (random.nextInt(20) == 0) f"\\u${char.toInt}%04x" else char.toString
    }
    s""""${characters.mkString}"${space()}:${space()}${value.drop(1)}"""
  }

  private def value(depth: Int): String = random.nextInt(if (depth == 0) 5 else 7) match {
    case 0 => pick(Seq("1", "-0.50", "1.10E+300", "12345678901234567890.0", "true", "null"))
    case 1 => s""""${pick(Seq("", "é", "🙂", "\\\\", "\\\"", "}", "\\u0000", ","))}""""
    case 2 => s"""",\\"${CodePointTag.Name}\\":{}""""
    case 3 => if (random.nextInt(50) == 0) s""""${"🙂x" * 20000}"""" else "\"z\""
    case 4 => s"""{"${CodePointTag.Name}":{"4:name":"4"}}"""
    case 5 => Seq.fill(random.nextInt(3))(value(depth - 1)).mkString("[", " , ", "]")
    case _ => Seq.tabulate(random.nextInt(3))(i => s""""$i":${value(depth - 1)}""")
        .mkString("{", ",", "}")
  }

  private def space(): String = pick(Seq("", "", " ", "\n", "\t ", "\r\n"))
}
