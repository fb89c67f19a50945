// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.schema

import org.apache.spark.sql.types.StructType

import org.deltacollations.collation.CollatedTypes
import org.deltacollations.patch.{Hook, HookKind}

/**
 * Gives written strings the collation of the table's column. Delta would reject a write with another
 * collation as a type change.
 *
 * Delta merges schemas for writes by path, for streaming writes and for `MERGE` with schema evolution,
 * but not for writes that replace the schema. New columns keep the collation of the written data.
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
      CollatedTypes.withCollationsOf(call.arguments(1).asInstanceOf[StructType], table)
    }
  )
}
