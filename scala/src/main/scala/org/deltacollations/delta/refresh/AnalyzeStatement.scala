// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.refresh

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.{UnresolvedTable, UnresolvedTableOrView}
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer.{
  ANALYZE,
  COMPUTE,
  PARTITION,
  SEMICOLON,
  STATISTICS,
  TABLE
}
import org.apache.spark.sql.catalyst.plans.logical.{AnalyzeTable, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.Origin

import org.antlr.v4.runtime.Token
import org.deltacollations.parser.{ParseErrorShim, SqlTokens}

/**
 * Parses `ANALYZE TABLE … COMPUTE DELTA STATISTICS`, a statement of Databricks that Spark does not have.
 *
 * Without the keyword `DELTA` it is a statement of Spark. So this object removes the keyword and lets
 * Spark parse the rest, which supports all ways to name a table, and then replaces Spark's plan. All
 * other statements are unchanged.
 */
object AnalyzeStatement {

  val Name: String = "ANALYZE TABLE … COMPUTE DELTA STATISTICS"

  /**
   * Returns the plan of the statement, or none for other statements.
   *
   * @throws ParseException
   *   if the statement has clauses that only Spark's `ANALYZE TABLE` supports
   */
  def parse(text: String, delegate: String => LogicalPlan): Option[LogicalPlan] =
    Option.when(mayMatch(text))(SqlTokens(text)).flatMap(tokens =>
      deltaKeyword(tokens).map { keyword =>
        tokenAfter(tokens, keyword).foreach(token => throw unexpected(text, token))
        val length = SqlTokens.end(text, keyword) - SqlTokens.start(text, keyword)
        // Replace the keyword by spaces, so that the positions in Spark's errors stay correct.
        delegate(text.patch(SqlTokens.start(text, keyword), " " * length, length)) match {
          case AnalyzeTable(table, partition, _) if partition.isEmpty =>
            AnalyzeCommand(table.transform { case unresolved: UnresolvedTableOrView =>
              UnresolvedTable(unresolved.multipartIdentifier, Name)
            })
          case _ =>
            throw unexpected(text, tokens.find(_.getType == PARTITION).getOrElse(tokens.head))
        }
      }
    )

  /** Avoids running the lexer for most other statements. */
  private def mayMatch(text: String): Boolean = {
    val lower = text.toLowerCase(Locale.ROOT)
    lower.contains("analyze") && lower.contains("delta")
  }

  private def deltaKeyword(tokens: List[Token]): Option[Token] = tokens match {
    case analyze :: table :: rest if analyze.getType == ANALYZE && table.getType == TABLE =>
      rest.sliding(3).collectFirst {
        case Seq(compute, delta, statistics)
            if compute.getType == COMPUTE && delta.getText == "DELTA" &&
              statistics.getType == STATISTICS =>
          delta
      }
    case _ => None
  }

  /** Returns the token after `STATISTICS`, if the statement does not end there. */
  private def tokenAfter(tokens: List[Token], keyword: Token): Option[Token] =
    tokens.drop(tokens.indexOf(keyword) + 2).find(_.getType != SEMICOLON)

  private def unexpected(text: String, token: Token): ParseException = {
    val origin = Origin(Some(token.getLine), Some(token.getCharPositionInLine))
    val hint = s": only $Name is supported, for the whole table"
    val parameters = Map("error" -> s"'${SqlTokens.originalText(text, token)}'", "hint" -> hint)
    ParseErrorShim(text, origin, "PARSE_SYNTAX_ERROR", parameters)
  }
}
