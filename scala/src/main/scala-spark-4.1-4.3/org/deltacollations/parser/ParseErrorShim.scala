// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.parser

import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.trees.Origin

/** Creates parse errors. Since Spark 4.1, they have only a start position. */
object ParseErrorShim {

  def apply(
      text: String,
      origin: Origin,
      condition: String,
      parameters: Map[String, String]
  ): ParseException =
    new ParseException(Some(text), origin, condition, parameters)
}
