// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.robustness

import scala.util.Random

import com.fasterxml.jackson.core.json.JsonWriteFeature
import com.fasterxml.jackson.databind.json.JsonMapper

/** Generates random names, identifiers, values and corrupt strings that a log should not contain. */
final class OddJson(random: Random) {

  import OddJson._

  def pick[T](choices: Seq[T]): T = choices(random.nextInt(choices.size))

  def name(): String = pick(Names)

  /** Returns a supported collation in half of the cases. */
  def identifier(): String =
    if (random.nextBoolean()) pick(Supported)
    else
      random.nextInt(4) match {
        case 0 => pick(Identifiers)
        case 1 => pick(Supported) + pick(Identifiers)
        case 2 => pick(Seq("icu.", "spark.", "ICU.", "")) + letters()
        case _ => pick(Seq("icu.de", "x.", "icu.", "")) +
            pick(Repeated) * pick(Seq(40, 3000, 30000))
      }

  /** Returns a value that is not a meaningful string. */
  def value(): String = pick(Values)

  /** Truncates `text`, or deletes, repeats, inserts or replaces a part of it. */
  def scrambled(text: String): String = {
    val at = if (text.isEmpty) 0 else random.nextInt(text.length)
    val end = (at + 1 + random.nextInt(9)).min(text.length)
    random.nextInt(6) match {
      case 0 => text.take(at)
      case 1 => text.take(at) + text.drop(end)
      case 2 => text.take(end) + text.drop(at)
      case 3 => text.take(at) + pick(Values) + text.drop(at)
      case 4 => text.take(at) + pick(Characters) + text.drop(end)
      case _ => text.updated(at.min(text.length - 1).max(0), letters().head)
    }
  }

  private def letters(): String =
    Seq.fill(1 + random.nextInt(12))(pick(Letters)).mkString
}

object OddJson {

  /** Escapes all non-ASCII characters, because lone surrogates cannot be stored in UTF-8. */
  private val json = JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build()

  def quoted(text: String): String = json.writeValueAsString(text)

  def nested(depth: Int, inner: String = ""): String = "[" * depth + inner + "]" * depth

  def obj(entries: (String, String)*): String =
    entries.map { case (key, value) => s"${quoted(key)}:$value" }.mkString("{", ",", "}")

  private val Supported =
    Seq(
      "icu.UNICODE_CI",
      "spark.UTF8_LCASE",
      "icu.de",
      "ICU.de_DE",
      "spark.UTF8_BINARY",
      "icu.UNICODE_CI_AI",
      "icu.UNICODE.78.3"
    )

  private val Identifiers = Seq(
    "",
    ".",
    "..",
    "icu",
    "icu.",
    ".UNICODE",
    "icu..",
    "icu.../../x",
    "icu.../../../etc/passwd",
    "java.lang.Runtime",
    "org.apache.spark.sql.SparkSession",
    "'; DROP TABLE people; --",
    "icu.UNICODE_CI'); DELETE FROM t WHERE ('1'='1",
    "icu.`x`",
    "$" + "{env:HOME}.x.1",
    "%s%n%d.%s",
    "icu.de\nWARN: all is well",
    "icu.\u001b[31mred",
    "icu.\u0000",
    "icu.\ud800",
    "\udfff.x",
    "icu.de@collation=phonebook",
    "icu.de-u-co-phonebk",
    "icu.de_DE_POSIX",
    "icu.@",
    "icu.__",
    "icu.de_\n_CI",
    "icu.UNICODE_CI_CI",
    "icu.\u202eedocinu",
    "icu.UNICODE.78.3.",
    "icu.UNICODE. ",
    "icu.ＵＮＩＣＯＤＥ",
    "ıcu.UNICODE",
    "icu.UNICODE_CI.78.3\u0000",
    "icu.de.\u0661",
    "spark.\ud83d\ude42"
  )

  private val Repeated = Seq("_CI", "_", "x", ".", "_CI_AI_RTRIM", "é", "_x_CI", "-", "@")

  private val Letters =
    "abzUNICODE_CI.-@/\\'\"`$%{}[]<>;:\n\t\u0000\u007f é日\ud800\udc00İıſK".map(_.toString)

  private val Names = Seq(
    "c",
    "a.b",
    "`",
    "a`b",
    "'",
    "\"",
    "\\",
    "a b",
    "é",
    "日本",
    "",
    ".",
    "..",
    ".element",
    "element",
    "key",
    "\u0000",
    "line\nbreak",
    "\u202e",
    "$c$",
    "$" + "{x}",
    "<c>",
    "%s",
    "'; DROP TABLE t; --",
    "x" * 300,
    "\ud800",
    "fields",
    "type",
    "__COLLATIONS",
    "c.element",
    "İ",
    "ſ"
  )

  private val Values = Seq(
    "null",
    "true",
    "false",
    "7",
    "-1",
    "0.1",
    "1e400",
    "-1e1000000000",
    "1e-1000000000",
    "NaN",
    "Infinity",
    "99999999999999999999999999",
    "9" * 1200,
    "18446744073709551616",
    "[]",
    "{}",
    "[[]]",
    """["c"]""",
    """{"c":"icu.de"}""",
    """{"":{}}""",
    """{"a":"z"}""",
    "\"\"",
    nested(40),
    nested(1500),
    obj("x" -> nested(990))
  )

  private val Characters =
    Seq(
      "\u0000",
      "\ud800",
      "\udfff",
      "\ufffd",
      "\\",
      "\"",
      "{",
      "}",
      ",",
      ":",
      "\n",
      "\\u12",
      "\u001b"
    )
}
