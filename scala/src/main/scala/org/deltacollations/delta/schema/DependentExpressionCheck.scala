// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.schema

import org.apache.spark.sql.delta.actions.Metadata
import org.apache.spark.sql.types.StructType

import org.deltacollations.collation.CollatedTypes
import org.deltacollations.patch.{Hook, HookKind}

/**
 * Makes Delta ignore the collations of written data when it checks whether a write changes the type of
 * a column that a constraint or a generated column uses. [[SchemaMerge]] keeps the type of the column,
 * so the check would reject a change that does not happen. [[WriteCast]] makes constraints compare
 * strings as the table does.
 */
private[delta] object DependentExpressionCheck {

  val hook: Hook = Hook(
    name = "dependent-check",
    className = "org.apache.spark.sql.delta.schema.ImplicitMetadataOperation$",
    method = "checkDependentExpressions",
    signatures = Seq(
      "(sql.SparkSession, sql.delta.actions.Protocol, sql.delta.actions.Metadata, " +
        "sql.types.StructType): void"
    ),
    kind = HookKind.ReplaceArgument(3),
    degradation =
      "path-based writes to a column with a constraint must have the collation of the column",
    requires = Set("write-cast"),
    replace = call => {
      val table = call.arguments(2).asInstanceOf[Metadata].schema
      CollatedTypes.withCollationsOf(call.arguments(3).asInstanceOf[StructType], table)
    }
  )
}
