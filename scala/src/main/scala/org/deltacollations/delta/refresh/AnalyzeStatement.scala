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
 * `ANALYZE TABLE … COMPUTE DELTA STATISTICS`, which Databricks knows and Spark does not.
 *
 * Without the one word it is a statement of Spark's. So Spark parses that, in all the ways it lets
 * a table be named, and its plan is taken over; every other statement is left alone.
 */
object AnalyzeStatement {

  val Name: String = "ANALYZE TABLE … COMPUTE DELTA STATISTICS"

  /** @throws ParseException for anything else that `ANALYZE` can ask Spark for */
  def parse(text: String, delegate: String => LogicalPlan): Option[LogicalPlan] =
    Option.when(mayBe(text))(SqlTokens(text)).flatMap(tokens =>
      wordOf(tokens).map { word =>
        surplus(tokens, word).foreach(token => throw unexpected(text, token))
        val length = SqlTokens.end(text, word) - SqlTokens.start(text, word)
        // Blanks fill the place of the word, so that Spark's errors point at what the user wrote.
        delegate(text.patch(SqlTokens.start(text, word), " " * length, length)) match {
          case AnalyzeTable(table, partition, _) if partition.isEmpty =>
            AnalyzeCommand(table.transform { case named: UnresolvedTableOrView =>
              UnresolvedTable(named.multipartIdentifier, Name)
            })
          case _ =>
            throw unexpected(text, tokens.find(_.getType == PARTITION).getOrElse(tokens.head))
        }
      }
    )

  /** Saves the lexer's work for all the statements that cannot be this one. */
  private def mayBe(text: String): Boolean = {
    val lower = text.toLowerCase(Locale.ROOT)
    lower.contains("analyze") && lower.contains("delta")
  }

  /** The word that is not Spark's. */
  private def wordOf(tokens: List[Token]): Option[Token] = tokens match {
    case analyze :: table :: rest if analyze.getType == ANALYZE && table.getType == TABLE =>
      rest.sliding(3).collectFirst {
        case Seq(compute, word, statistics)
            if compute.getType == COMPUTE && word.getText == "DELTA" &&
              statistics.getType == STATISTICS =>
          word
      }
    case _ => None
  }

  private def surplus(tokens: List[Token], word: Token): Option[Token] =
    tokens.drop(tokens.indexOf(word) + 2).find(_.getType != SEMICOLON)

  private def unexpected(text: String, token: Token): ParseException = {
    val origin = Origin(Some(token.getLine), Some(token.getCharPositionInLine))
    val hint = s": all that can be said is $Name, for the whole table"
    val parameters = Map("error" -> s"'${SqlTokens.written(text, token)}'", "hint" -> hint)
    ParseErrorShim(text, origin, "PARSE_SYNTAX_ERROR", parameters)
  }
}
