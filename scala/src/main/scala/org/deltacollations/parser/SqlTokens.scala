// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.parser

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.parser.SqlBaseLexer

import org.antlr.v4.runtime.{CharStreams, Token}

/**
 * SQL text as Spark's own lexer cuts it, so that comments and literals are never taken for words of
 * the language.
 */
object SqlTokens {

  /** The lexer knows keywords in capitals only; letter by letter, so that positions stay right. */
  def apply(text: String): List[Token] = {
    val lexer = new SqlBaseLexer(CharStreams.fromString(text.map(_.toUpper)))
    lexer.removeErrorListeners()
    lexer.getAllTokens.asScala.filter(_.getChannel == Token.DEFAULT_CHANNEL).toList
  }

  /** What a token says, in the letters of the user. */
  def written(text: String, token: Token): String =
    text.substring(start(text, token), end(text, token))

  def start(text: String, token: Token): Int = position(text, token.getStartIndex)

  def end(text: String, token: Token): Int = position(text, token.getStopIndex + 1)

  /** The lexer counts code points, and Java two for some of them. */
  private def position(text: String, codePoints: Int): Int = text.offsetByCodePoints(0, codePoints)
}
