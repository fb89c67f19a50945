// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.schema

import org.apache.spark.sql.catalyst.util.QuotingUtils
import org.apache.spark.sql.delta.OptimisticTransaction
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.{Column, Dataset}

import org.deltacollations.collation.CollatedTypes
import org.deltacollations.patch.{Hook, HookKind}

/**
 * Casts rows to the collations of the table right before Delta writes them, so that constraints and
 * statistics compare strings as the table does. The cast does not change the bytes of a value.
 * Without this hook, [[DependentExpressionCheck]] is not applied either, so Delta rejects writes that
 * would need the cast.
 *
 * The hook reads the schema that the transaction commits. So it leaves a write alone that replaces the
 * schema, or that is Delta's own: its types are equal.
 */
private[delta] object WriteCast {

  val hook: Hook = Hook(
    name = "write-cast",
    className = "org.apache.spark.sql.delta.files.TransactionalWrite",
    method = "writeFiles",
    signatures = Seq("(sql.Dataset, scala.Option, boolean, immutable.Seq): immutable.Seq"),
    kind = HookKind.ReplaceArgument(0),
    degradation =
      "path-based writes to a column with a constraint must have the collation of the column",
    replace = call => {
      val rows = call.arguments(0).asInstanceOf[Dataset[_]]
      castTo(call.receiver.asInstanceOf[OptimisticTransaction].metadata.schema, rows)
    }
  )

  private def castTo(table: StructType, rows: Dataset[_]): Dataset[_] = {
    val source = rows.schema
    val target = CollatedTypes.withCollationsOf(source, table)
    if (source == target) rows
    else rows.select(source.fields.zip(target.fields).map { case (from, to) =>
      castColumn(rows, from, to)
    }.toIndexedSeq: _*)
  }

  private def castColumn(rows: Dataset[_], from: StructField, to: StructField): Column = {
    val column = rows.col(QuotingUtils.quoteIdentifier(from.name))
    if (from == to) column else column.cast(to.dataType).as(from.name, from.metadata)
  }
}
