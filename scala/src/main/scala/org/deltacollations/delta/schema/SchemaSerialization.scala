// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.schema

import java.util.concurrent.ConcurrentHashMap

import org.deltacollations.collation.SparkCollations
import org.deltacollations.delta.patch.{Hook, HookKind}
import org.deltacollations.protocol.{CollationId, LogJson, SchemaJson}
import org.slf4j.LoggerFactory

/**
 * Stands between the schema in the log and the schema Spark works with: the one place where Delta
 * parses a table's schema, and the one through which it writes it.
 */
private[delta] object SchemaSerialization {

  private val metadata = "org.apache.spark.sql.delta.actions.Metadata"

  val reading: Hook = Hook(
    name = "schema-reading",
    className = metadata,
    // The function in `lazy val schema` that parses the text.
    method = "$anonfun$schema$1",
    signatures = Seq("(java.lang.String): sql.types.StructType"),
    kind = HookKind.ReplaceArgument(0),
    degradation = "tables with an unsupported collation cannot be opened",
    requires = Set("schema-writing"),
    replace = call => SchemaJson.forSpark(call.value.asInstanceOf[String], spelling)
  )

  val writing: Hook = Hook(
    // Required, because sessions without it would put invalid types and changed names into the log.
    name = "schema-writing",
    className = metadata,
    method = "schemaString",
    signatures = Seq("(): java.lang.String"),
    kind = HookKind.ReplaceResult,
    degradation =
      "STRING COLLATE UTF8_BINARY columns get a type in the log that other engines cannot read",
    required = true,
    replace = call => SchemaJson.forLog(call.value.asInstanceOf[String])
  )

  private val log = LoggerFactory.getLogger(getClass)

  /** More are not told of: whoever writes a log must not fill the memory or the log of a driver. */
  private val MostTold = 1000

  private val told = ConcurrentHashMap.newKeySet[String]()

  private def spelling(identifier: String): Option[String] = {
    val name = CollationId.parse(identifier).flatMap(SparkCollations.nameOf)
    val shown = LogJson.shown(identifier)
    if (name.isEmpty && told.size < MostTold && told.add(shown))
      log.warn(
        s"This Spark has no collation $shown, which a table names: strings of that collation " +
          "are compared by their bytes. The table's log keeps the name."
      )
    name.map(SparkCollations.identifier(_).toString)
  }
}
