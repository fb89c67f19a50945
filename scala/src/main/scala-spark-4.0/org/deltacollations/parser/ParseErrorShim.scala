// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.parser

import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.trees.Origin

/** Up to Spark 4.0 an error of the parser says where it ends, too. */
object ParseErrorShim {

  def apply(
      text: String,
      origin: Origin,
      condition: String,
      parameters: Map[String, String]
  ): ParseException =
    new ParseException(Some(text), origin, origin, condition, parameters)
}
