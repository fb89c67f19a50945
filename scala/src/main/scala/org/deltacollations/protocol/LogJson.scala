// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import scala.util.Try

import com.fasterxml.jackson.core.{
  JsonFactory,
  JsonFactoryBuilder,
  JsonParser,
  JsonToken,
  StreamReadFeature
}
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature
import com.fasterxml.jackson.databind.json.JsonMapper
import com.fasterxml.jackson.databind.{DeserializationFeature, JsonNode}

/**
 * Reads and writes JSON from the log, which may be corrupt or malicious. Returns `None` and never
 * throws for strings that are not valid JSON or nested deeper than Jackson allows (1,000 levels).
 */
object LogJson {

  /** Does not intern field names: that is slow, and the JVM may never release them. */
  private val factory =
    new JsonFactoryBuilder().disable(JsonFactory.Feature.INTERN_FIELD_NAMES).build()

  /** Keeps all digits of numbers: decimal bounds and entries of other writers must not change. */
  private[protocol] val json: JsonMapper = JsonMapper.builder(factory)
    .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
    .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
    .build()

  /** Rejects duplicate keys, since either value may be the corrupt one, and trailing tokens. */
  private val strict = json.rebuild()
    .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
    .build()

  /** Parses JSON. The last one of duplicate keys wins, as in Spark. */
  private[protocol] def read(text: String): Option[JsonNode] = readBy(json, text)

  private[protocol] def readStrictly(text: String): Option[JsonNode] = readBy(strict, text)

  private def readBy(mapper: JsonMapper, text: String): Option[JsonNode] =
    Option(text).flatMap(text => Try(mapper.readTree(text)).toOption).filterNot(_.isMissingNode)

  /** Rejects duplicate keys. The caller has to reject trailing tokens. */
  private val strictFactory = new JsonFactoryBuilder()
    .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
    .build()

  /** Returns a parser that throws where `readStrictly` returns nothing. */
  private[protocol] def parser(text: String): JsonParser = strictFactory.createParser(text)

  /** Returns the current number as `readStrictly` does, which fails for some, such as huge ones. */
  private[protocol] def numberAt(parser: JsonParser): Number =
    if (parser.currentToken == JsonToken.VALUE_NUMBER_FLOAT) parser.getDecimalValue
    else parser.getNumberValue

  /** Serializes `node`, with lone surrogates escaped: encoded in UTF-8 they would become `?`. */
  private[protocol] def write(node: JsonNode): String = {
    val text = json.writeValueAsString(node)
    if (hasNoLoneSurrogate(text)) text
    else
      text.codePoints.toArray.map { point =>
        if (isSurrogate(point)) f"\\u$point%04x" else Character.toString(point)
      }.mkString
  }

  private def isSurrogate(point: Int): Boolean =
    point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE

  /** Whether `text` can be encoded in UTF-8, which replaces lone surrogates by `?`. */
  private[protocol] def hasNoLoneSurrogate(text: String): Boolean =
    text.codePoints.noneMatch(isSurrogate(_))

  private val MaxPrintableLength = 100

  /** Returns `text` for messages: truncated, on one line, with invisible characters escaped. */
  def printable(text: String): String = {
    val points = text.codePoints.limit(MaxPrintableLength.toLong + 1).toArray
    val escaped = points.take(MaxPrintableLength).map { point =>
      if (Invisible(Character.getType(point))) f"\\u$point%04x" else Character.toString(point)
    }.mkString
    if (points.length > MaxPrintableLength) escaped + "…" else escaped
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
