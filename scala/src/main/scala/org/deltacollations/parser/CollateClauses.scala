// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.parser

import java.util.Locale

import org.apache.spark.sql.catalyst.parser.SqlBaseLexer.{COLLATE, COLLATION, DEFAULT, DOT}
import org.apache.spark.sql.catalyst.trees.Origin

import org.antlr.v4.runtime.Token

/**
 * Puts Spark's names where SQL text names a collation by an identifier of the log.
 *
 * It must be done in the text: Spark's grammar turns the collation of a type into a number while it
 * parses. Spark's own lexer finds the names, so that comments and literals are never touched.
 */
object CollateClauses {

  /** Fails, as Spark's parser does, for an identifier that stands for no collation of Spark. */
  def translate(text: String): String =
    if (!text.contains('.') || !text.toLowerCase(Locale.ROOT).contains("collat")) text
    else
      // From the last to the first, so that the positions of those to come stay right.
      dottedNames(SqlTokens(text)).reverse.foldLeft(text)((done, name) => replace(done, name, text))

  /** A name without a dot is Spark's, and may be no name at all, as in `SELECT collate FROM t`. */
  private def dottedNames(tokens: List[Token]): List[List[Token]] =
    tokens.tails.zip(Iterator(false) ++ tokens.map(_.getType == DEFAULT)).collect {
      case (clause :: first :: rest, afterDefault)
          if first.getType != DOT && furtherParts(rest).nonEmpty &&
            (clause.getType == COLLATE || clause.getType == COLLATION && afterDefault) =>
        first :: furtherParts(rest)
    }.toList

  /** A part in digits, as of a version, is one token with its dot. */
  private def furtherParts(tokens: List[Token]): List[Token] = tokens match {
    case dot :: part :: rest if dot.getType == DOT => part :: furtherParts(rest)
    case number :: rest if number.getText.matches("\\..+") => number :: furtherParts(rest)
    case _ => Nil
  }

  /** Blanks fill the place of a longer name, so that errors point at what the user wrote. */
  private def replace(done: String, name: List[Token], text: String): String = {
    val (start, end) = (SqlTokens.start(text, name.head), SqlTokens.end(text, name.last))
    CollationNameResolver.named(name.map(part(text, _))) match {
      case Right(found) => done.patch(start, found.padTo(end - start, ' '), end - start)
      case Left(parameters) =>
        val origin = Origin(Some(name.head.getLine), Some(name.head.getCharPositionInLine))
        throw ParseErrorShim(text, origin, CollationNameResolver.InvalidName, parameters)
    }
  }

  /** What a token says, in the letters of the user and without quotes. */
  private def part(text: String, token: Token): String =
    SqlTokens.written(text, token)
      .stripPrefix(".")
      .replaceAll("^[`\"]|[`\"]$", "")
}
