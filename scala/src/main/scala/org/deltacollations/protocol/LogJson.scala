// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import scala.util.Try

import com.fasterxml.jackson.core.{JsonFactory, JsonFactoryBuilder}
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature
import com.fasterxml.jackson.databind.json.JsonMapper
import com.fasterxml.jackson.databind.{DeserializationFeature, JsonNode}

/**
 * Text that somebody wrote into a log, which may be damaged or made to do harm. What is no JSON, or
 * deeper than Jackson goes (1,000 levels), is nothing here, and never an error.
 */
object LogJson {

  /** Jackson would keep every name it meets in a table of the JVM, which is slow, and a leak. */
  private val factory =
    new JsonFactoryBuilder().disable(JsonFactory.Feature.INTERN_FIELD_NAMES).build()

  /** Numbers come through with every digit, since bounds of decimals and keys of others must. */
  private[protocol] val json: JsonMapper = JsonMapper.builder(factory)
    .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
    .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
    .build()

  /** Of two values for one name, either may be the damaged one; and what goes on has no end. */
  private val strict = json.rebuild()
    .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
    .build()

  /** Of two values for one name, the last: so does Spark. */
  private[protocol] def read(text: String): Option[JsonNode] = readBy(json, text)

  private[protocol] def readStrictly(text: String): Option[JsonNode] = readBy(strict, text)

  private def readBy(mapper: JsonMapper, text: String): Option[JsonNode] =
    Option(text).flatMap(text => Try(mapper.readTree(text)).toOption).filterNot(_.isMissingNode)

  /** With escapes for what UTF-8 cannot hold: else it would be another text once it is stored. */
  private[protocol] def write(node: JsonNode): String = {
    val text = json.writeValueAsString(node)
    if (isWhole(text)) text
    else
      text.codePoints.toArray.map { point =>
        if (isHalf(point)) f"\\u$point%04x" else Character.toString(point)
      }.mkString
  }

  private def isHalf(point: Int): Boolean =
    point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE

  /** Half a pair of surrogates is no character. UTF-8 has no room for it and makes it a `?`. */
  private[protocol] def isWhole(text: String): Boolean =
    text.codePoints.noneMatch(isHalf(_))

  /** Longer texts are cut where people read them. */
  private val Longest = 100

  /** For the eyes of people: short, on one line, and without a character that moves a cursor. */
  def shown(text: String): String = {
    val points = text.codePoints.limit(Longest.toLong + 1).toArray
    val legible = points.take(Longest).map { point =>
      if (Invisible(Character.getType(point))) f"\\u$point%04x" else Character.toString(point)
    }.mkString
    if (points.length > Longest) legible + "…" else legible
  }

  private val Invisible: Set[Int] =
    Set(
      Character.CONTROL,
      Character.FORMAT,
      Character.LINE_SEPARATOR,
      Character.PARAGRAPH_SEPARATOR,
      Character.SURROGATE
    ).map(_.toInt)
}
