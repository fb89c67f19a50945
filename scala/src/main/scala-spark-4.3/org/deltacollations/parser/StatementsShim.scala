// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.parser

import org.apache.spark.sql.catalyst.parser.{
  ParserInterface,
  SqlStatementSplitResult,
  TemporalIdentifier
}

/**
 * Delegates the methods that parsers have since Spark 4.3. The default implementation of
 * `parseTemporalTableIdentifier` does not know `people@v1`, so it has to be delegated, too.
 */
trait StatementsShim extends ParserInterface {

  protected def delegate: ParserInterface

  override def splitStatements(text: String): SqlStatementSplitResult =
    delegate.splitStatements(text)

  override def parseTemporalTableIdentifier(text: String): TemporalIdentifier =
    delegate.parseTemporalTableIdentifier(text)
}
