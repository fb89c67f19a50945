// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.parser

import java.util.Locale

import org.apache.spark.sql.catalyst.parser.SqlBaseLexer.{COLLATE, COLLATION, DEFAULT, DOT}
import org.apache.spark.sql.catalyst.trees.Origin

import org.antlr.v4.runtime.Token

/**
 * Replaces collation identifiers of the Delta log in SQL text by Spark's collation names.
 *
 * This works on the text, because Spark's parser turns the collation of a type into a number. Spark's
 * own lexer finds the names, so comments and literals are never changed.
 */
object CollateClauses {

  /** Throws a `ParseException`, as Spark's parser does, if Spark does not have the collation. */
  def translate(text: String): String =
    if (!text.contains('.') || !text.toLowerCase(Locale.ROOT).contains("collat")) text
    else
      // Replaces from the last to the first, so that the remaining positions stay valid.
      dottedNames(SqlTokens(text)).reverse.foldLeft(text) { (translated, name) =>
        replace(translated, name, text)
      }

  /**
   * Finds the names with a dot. A name without a dot is left to Spark. It may not be the name of a
   * collation at all, as in `SELECT collate FROM t`.
   */
  private def dottedNames(tokens: List[Token]): List[List[Token]] =
    tokens.tails.zip(Iterator(false) ++ tokens.map(_.getType == DEFAULT)).collect {
      case (clause :: first :: rest, isAfterDefault)
          if first.getType != DOT && furtherParts(rest).nonEmpty &&
            (clause.getType == COLLATE || clause.getType == COLLATION && isAfterDefault) =>
        first :: furtherParts(rest)
    }.toList

  /** The lexer returns a part that consists of digits, as in a version, together with its dot. */
  private def furtherParts(tokens: List[Token]): List[Token] = tokens match {
    case dot :: part :: rest if dot.getType == DOT => part :: furtherParts(rest)
    case number :: rest if number.getText.matches("\\..+") => number :: furtherParts(rest)
    case _ => Nil
  }

  /** Replaces a name in place, padded with spaces, so that errors point at the user's text. */
  private def replace(translated: String, name: List[Token], text: String): String = {
    val (start, end) = (SqlTokens.start(text, name.head), SqlTokens.end(text, name.last))
    CollationNameResolver.resolve(name.map(part(text, _))) match {
      case Right(resolved) =>
        translated.patch(start, resolved.padTo(end - start, ' '), end - start)
      case Left(parameters) =>
        val origin = Origin(Some(name.head.getLine), Some(name.head.getCharPositionInLine))
        throw ParseErrorShim(text, origin, CollationNameResolver.InvalidName, parameters)
    }
  }

  /** Returns a part of a name in the user's spelling, without its quotes. */
  private def part(text: String, token: Token): String =
    SqlTokens.originalText(text, token)
      .stripPrefix(".")
      .replaceAll("^[`\"]|[`\"]$", "")
}
