// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.parser

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.parser.SqlBaseLexer

import org.antlr.v4.runtime.{CharStreams, Token}

/** Splits SQL text with Spark's own lexer, which tells keywords from comments and literals. */
object SqlTokens {

  /** Converts to upper case char by char: the lexer expects it, and positions must not change. */
  def apply(text: String): List[Token] = {
    val lexer = new SqlBaseLexer(CharStreams.fromString(text.map(_.toUpper)))
    lexer.removeErrorListeners()
    lexer.getAllTokens.asScala.filter(_.getChannel == Token.DEFAULT_CHANNEL).toList
  }

  /** Returns a token as the user wrote it, before the conversion to upper case. */
  def originalText(text: String, token: Token): String =
    text.substring(start(text, token), end(text, token))

  def start(text: String, token: Token): Int = position(text, token.getStartIndex)

  def end(text: String, token: Token): Int = position(text, token.getStopIndex + 1)

  /** Converts a position of the lexer, in code points, to one in UTF-16 code units. */
  private def position(text: String, codePoints: Int): Int = text.offsetByCodePoints(0, codePoints)
}
