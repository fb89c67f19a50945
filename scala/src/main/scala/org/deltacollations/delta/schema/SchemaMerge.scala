// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.schema

import org.apache.spark.sql.types.StructType

import org.deltacollations.collation.CollatedTypes
import org.deltacollations.delta.patch.{Hook, HookKind}

/**
 * Makes strings that come to a table take the table's collation, instead of being refused because
 * they bring another one.
 *
 * Delta asks here whenever rows are written by path, by a stream or by a `MERGE` that may add
 * columns, and never when a write is to replace the schema. Columns the table does not have keep the
 * collation they bring.
 */
private[delta] object SchemaMerge {

  val hook: Hook = Hook(
    name = "schema-merge",
    className = "org.apache.spark.sql.delta.schema.SchemaMergingUtils$",
    method = "mergeSchemas",
    signatures = Seq(
      "(sql.types.StructType, sql.types.StructType, boolean, boolean, " +
        "sql.delta.TypeWideningMode, boolean): sql.types.StructType"
    ),
    kind = HookKind.ReplaceArgument(1),
    degradation = "path-based and streaming writes must have the collation of the column",
    replace = call => {
      val table = call.arguments(0).asInstanceOf[StructType]
      CollatedTypes.aligned(call.arguments(1).asInstanceOf[StructType], table)
    }
  )
}
