// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.schema

import org.apache.spark.sql.delta.OptimisticTransaction
import org.apache.spark.sql.delta.commands.DeltaChangeColumnSpec
import org.apache.spark.sql.types.StructField

import org.deltacollations.collation.{CollatedString, CollatedTypes, UnconstrainedString}
import org.deltacollations.delta.patch.{Hook, HookKind}
import org.deltacollations.errors.CollationsErrors

/**
 * Keeps [[AlterColumnCollation]], which sees two types and no table, shut where `CREATE TABLE` would refuse
 * the same column: Spark does not partition by a collated column, and writes a collated `VARCHAR` in
 * a form that it cannot read back. Back to plain strings is always allowed, as the way out for a
 * table that another writer left so. Without this hook, [[AlterColumnCollation]] is not used at all.
 */
private[delta] object ChangeGuard {

  val hook: Hook = Hook(
    name = "change-check",
    className = "org.apache.spark.sql.delta.commands.AlterTableChangeColumnDeltaCommand",
    method = "verifyColumnChange",
    signatures = Seq(
      "(sql.delta.commands.DeltaChangeColumnSpec, sql.SparkSession, " +
        "sql.types.StructField, scala.Function2, sql.delta.OptimisticTransaction): void"
    ),
    kind = HookKind.OnEntry,
    degradation = "the collation of an existing column cannot be changed",
    replace = call => {
      val change = call.arguments(0).asInstanceOf[DeltaChangeColumnSpec]
      val column = call.arguments(2).asInstanceOf[StructField]
      val transaction = call.arguments(4).asInstanceOf[OptimisticTransaction]
      check(change, column, transaction.metadata.partitionColumns)
    }
  )

  private def check(
      change: DeltaChangeColumnSpec,
      column: StructField,
      partitionColumns: Seq[String]
  ): Unit = CollatedTypes.declaredType(change.newColumn) match {
    case same if same == CollatedTypes.declaredType(column) => ()
    case CollatedString(wanted) =>
      if (!UnconstrainedString.unapply(wanted))
        throw CollationsErrors.unsupportedCharVarcharChange(
          (change.columnPath :+ column.name).mkString("."),
          wanted.sql
        )
      if (change.columnPath.isEmpty && partitionColumns.contains(column.name))
        throw CollationsErrors.unsupportedPartitionColumnChange(column.name, wanted.sql)
    case _ => ()
  }
}
