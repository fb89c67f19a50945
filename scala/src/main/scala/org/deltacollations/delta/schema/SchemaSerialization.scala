// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.schema

import java.util.concurrent.ConcurrentHashMap

import org.deltacollations.collation.SparkCollations
import org.deltacollations.patch.{Hook, HookKind}
import org.deltacollations.protocol.{CollationId, LogJson, SchemaJson}
import org.slf4j.LoggerFactory

/**
 * Converts between the schema in the log and the schema in Spark. Delta parses and serializes the
 * schema of a table only in these two methods.
 */
private[delta] object SchemaSerialization {

  private val metadata = "org.apache.spark.sql.delta.actions.Metadata"

  val reading: Hook = Hook(
    name = "schema-reading",
    className = metadata,
    // The function in `lazy val schema` that parses the JSON.
    method = "$anonfun$schema$1",
    signatures = Seq("(java.lang.String): sql.types.StructType"),
    kind = HookKind.ReplaceArgument(0),
    degradation = "tables with an unsupported collation cannot be opened",
    requires = Set("schema-writing"),
    replace = call => SchemaJson.forSpark(call.value.asInstanceOf[String], canonicalId)
  )

  val writing: Hook = Hook(
    // Required: a session without it would write invalid types and changed names to the log.
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

  /** Limits the warnings, so that a table cannot fill the memory or the log of the driver. */
  private val MaxWarnings = 1000

  private val warned = ConcurrentHashMap.newKeySet[String]()

  private def canonicalId(identifier: String): Option[String] =
    supportedName(identifier).map(SparkCollations.identifier(_).toString)

  /** Returns Spark's name of a collation in a schema, or `None` with a warning if it is unsupported. */
  private[delta] def supportedName(identifier: String): Option[String] = {
    val name = CollationId.parse(identifier).flatMap(SparkCollations.nameOf)
    val printable = LogJson.printable(identifier)
    if (name.isEmpty && warned.size < MaxWarnings && warned.add(printable))
      log.warn(
        s"A table uses the collation $printable, which this Spark does not support: its strings are " +
          "compared as UTF8_BINARY. The log of the table keeps the collation."
      )
    name
  }
}
