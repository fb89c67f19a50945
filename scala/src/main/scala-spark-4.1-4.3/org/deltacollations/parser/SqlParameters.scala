// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.parser

import org.apache.spark.sql.catalyst.parser.{
  ParameterContext,
  ParameterHandler,
  ParseException,
  PositionMapper
}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

/**
 * Substitutes the values of the markers `:name` and `?` in SQL text, as Spark's own parser does.
 *
 * This happens before other parsers see the text. A parser that extends Spark's, such as Delta's, may
 * not support parameters and drop them.
 */
object SqlParameters {

  /** @throws AnalysisException of Spark, for a marker without a value */
  def bind[T](text: String, parameters: ParameterContext)(parse: String => T): T =
    substitute(text, parameters) match {
      case Some((substituted, positions)) if substituted != text =>
        // Errors point at the text before the substitution.
        val origin = CurrentOrigin.get.copy(
          sqlText = Some(substituted),
          startIndex = Some(0),
          stopIndex = Some(substituted.length - 1),
          positionMapper = Some(positions)
        )
        CurrentOrigin.withOrigin(origin)(parse(substituted))
      case _ => parse(text)
    }

  /** Returns `None` if Spark cannot parse the text: a statement of another parser, or invalid SQL. */
  private def substitute(
      text: String,
      parameters: ParameterContext
  ): Option[(String, PositionMapper)] =
    try Some(ParameterHandler.substituteParameters(text, parameters))
    catch { case _: ParseException => None }
}
