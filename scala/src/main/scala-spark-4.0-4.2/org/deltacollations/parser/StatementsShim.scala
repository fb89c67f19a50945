// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.parser

import org.apache.spark.sql.catalyst.parser.ParserInterface

/** Up to Spark 4.2, a parser neither splits scripts into statements nor parses temporal table names. */
trait StatementsShim extends ParserInterface {

  protected def delegate: ParserInterface
}
