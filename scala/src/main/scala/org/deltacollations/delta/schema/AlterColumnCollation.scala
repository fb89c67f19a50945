// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.schema

import org.apache.spark.sql.delta.OptimisticTransaction
import org.apache.spark.sql.delta.commands.DeltaChangeColumnSpec
import org.apache.spark.sql.types.StructField

import org.deltacollations.collation.{CollatedString, CollatedTypes, UnconstrainedString}
import org.deltacollations.errors.CollationsErrors
import org.deltacollations.patch.{Hook, HookKind}

/**
 * Lets `ALTER TABLE … ALTER COLUMN … TYPE STRING COLLATE …` change the collation of a column.
 *
 * Only the order of the values changes, not the values. Statistics of existing files are safe: Delta
 * does not skip files by a collated column, and reads every file without statistics of a column.
 */
private[delta] object AlterColumnCollation {

  private val degradation = "the collation of an existing column cannot be changed"

  /**
   * Allows the change from one string type to another. Delta decides about all other types and about
   * whole schemas. `REPLACE COLUMNS` compares whole schemas, and it must stay forbidden because it
   * does not check the constraints that use a column.
   */
  val allowed: Hook = Hook(
    name = "alter-column-type",
    className = "org.apache.spark.sql.delta.schema.SchemaUtils$",
    method = "canChangeDataType",
    signatures = Seq(
      "(sql.types.DataType, sql.types.DataType, scala.Function2, " +
        "sql.delta.DeltaColumnMappingMode, immutable.Seq, boolean, boolean): scala.Option"
    ),
    kind = HookKind.ReplaceResult,
    degradation = degradation,
    requires = Set("alter-column-validation"),
    replace = call =>
      (call.arguments(0), call.arguments(1)) match {
        case (UnconstrainedString(), UnconstrainedString()) => NoObjection
        case _ => call.value
      }
  )

  /** The result with which Delta allows a change; `Some` holds the reason to reject it. */
  private val NoObjection: Option[String] = None

  /**
   * Rejects the changes that `CREATE TABLE` would reject too, which [[allowed]] cannot do: it sees two
   * types and no table. Spark does not partition by collated columns, and it writes a collated
   * `VARCHAR` in a form that it cannot read back. The change back to `UTF8_BINARY` is always allowed,
   * so that a user can repair a table that another writer left in such a state.
   */
  val validated: Hook = Hook(
    name = "alter-column-validation",
    className = "org.apache.spark.sql.delta.commands.AlterTableChangeColumnDeltaCommand",
    method = "verifyColumnChange",
    signatures = Seq(
      "(sql.delta.commands.DeltaChangeColumnSpec, sql.SparkSession, " +
        "sql.types.StructField, scala.Function2, sql.delta.OptimisticTransaction): void"
    ),
    kind = HookKind.OnEntry,
    degradation = degradation,
    replace = call => {
      val change = call.arguments(0).asInstanceOf[DeltaChangeColumnSpec]
      val column = call.arguments(2).asInstanceOf[StructField]
      val transaction = call.arguments(4).asInstanceOf[OptimisticTransaction]
      validate(change, column, transaction.metadata.partitionColumns)
    }
  )

  private def validate(
      change: DeltaChangeColumnSpec,
      column: StructField,
      partitionColumns: Seq[String]
  ): Unit = CollatedTypes.declaredType(change.newColumn) match {
    case unchanged if unchanged == CollatedTypes.declaredType(column) => ()
    case CollatedString(newType) =>
      if (!UnconstrainedString.unapply(newType))
        throw CollationsErrors.unsupportedCharVarcharChange(
          (change.columnPath :+ column.name).mkString("."),
          newType.sql
        )
      if (change.columnPath.isEmpty && partitionColumns.contains(column.name))
        throw CollationsErrors.unsupportedPartitionColumnChange(column.name, newType.sql)
    case _ => ()
  }
}
