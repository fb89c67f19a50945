// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.schema

import org.apache.spark.sql.catalyst.util.QuotingUtils
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.{Column, Dataset}

import org.deltacollations.collation.CollatedTypes

/** Rows whose strings have the collations of `table`; the same rows if they had them before. */
object AlignedRows {

  def apply(rows: Dataset[_], table: StructType): Dataset[_] = {
    val brought = rows.schema
    val wanted = CollatedTypes.aligned(brought, table)
    if (wanted == brought) rows
    else rows.select(brought.fields.zip(wanted.fields).map { case (from, to) =>
      column(rows, from, to)
    }.toIndexedSeq: _*)
  }

  private def column(rows: Dataset[_], from: StructField, to: StructField): Column = {
    val column = rows.col(QuotingUtils.quoteIdentifier(from.name))
    if (from == to) column else column.cast(to.dataType).as(from.name, from.metadata)
  }
}
