// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.parser

import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.trees.Origin

/** Creates parse errors. Up to Spark 4.0, they have a start and a stop position. */
object ParseErrorShim {

  def apply(
      text: String,
      origin: Origin,
      condition: String,
      parameters: Map[String, String]
  ): ParseException =
    new ParseException(Some(text), origin, origin, condition, parameters)
}
