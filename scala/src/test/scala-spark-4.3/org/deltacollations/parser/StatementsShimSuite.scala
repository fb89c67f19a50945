// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.parser

import org.apache.spark.sql.catalyst.parser.CatalystSqlParser

import org.scalatest.funsuite.AnyFunSuite

class StatementsShimSuite extends AnyFunSuite {

  private val parser = new CollationsParser(CatalystSqlParser)

  test("splitStatements splits a script as Spark does") {
    val script = "SELECT ';'; SELECT 2; SELECT"
    val split = parser.splitStatements(script)
    assert(split === CatalystSqlParser.splitStatements(script))
    assert(split.completeStatements.size === 2)
  }

  test("parseTemporalTableIdentifier returns the version of the table") {
    val found = parser.parseTemporalTableIdentifier("people@v1")
    assert(found === CatalystSqlParser.parseTemporalTableIdentifier("people@v1"))
    assert(found.nameParts === Seq("people") && found.version === Some("1"))
  }
}
