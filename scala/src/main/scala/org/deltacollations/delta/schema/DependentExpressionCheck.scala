// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.schema

import org.apache.spark.sql.delta.actions.Metadata
import org.apache.spark.sql.types.StructType

import org.deltacollations.collation.CollatedTypes
import org.deltacollations.delta.patch.{Hook, HookKind}

/**
 * Lets Delta see that a write leaves the type of a column as it is, though it brings strings of
 * another collation: else it protects the constraints on that column from a change that
 * [[SchemaMerge]] does not make. [[WriteCast]] has the constraints checked as the table compares.
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
    degradation = "path-based writes to a column with a constraint must have the collation of the column",
    requires = Set("write-cast"),
    replace = call => {
      val table = call.arguments(2).asInstanceOf[Metadata].schema
      CollatedTypes.aligned(call.arguments(3).asInstanceOf[StructType], table)
    }
  )
}
