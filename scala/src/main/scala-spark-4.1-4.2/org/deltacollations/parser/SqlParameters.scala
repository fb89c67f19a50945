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
 * Puts the values of `:name` and `?` into SQL text, as Spark's own parser does.
 *
 * It is done before other parsers see the text, because one that extends Spark's, like Delta's, may
 * know nothing of parameters and drop them.
 */
object SqlParameters {

  /** @throws AnalysisException Spark's own, for a marker without a value */
  def bound[T](text: String, parameters: ParameterContext)(parse: String => T): T =
    values(text, parameters) match {
      case Some((complete, positions)) if complete != text =>
        // Errors shall point at what the user wrote.
        val origin = CurrentOrigin.get.copy(
          sqlText = Some(complete),
          startIndex = Some(0),
          stopIndex = Some(complete.length - 1),
          positionMapper = Some(positions)
        )
        CurrentOrigin.withOrigin(origin)(parse(complete))
      case _ => parse(text)
    }

  /** Nothing if the text is not Spark's to parse: a statement of another parser, or a mistake. */
  private def values(text: String, parameters: ParameterContext): Option[(String, PositionMapper)] =
    try Some(ParameterHandler.substituteParameters(text, parameters))
    catch { case _: ParseException => None }
}
