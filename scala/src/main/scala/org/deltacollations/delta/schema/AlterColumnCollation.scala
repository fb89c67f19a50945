// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.schema

import org.deltacollations.collation.UnconstrainedString
import org.deltacollations.delta.patch.{Hook, HookKind}

/**
 * Lets `ALTER COLUMN … TYPE STRING COLLATE …` pass: no value changes, only how values compare.
 *
 * It answers for a change from string to string and for no other, so whole schemas, as `REPLACE
 * COLUMNS` compares them, stay as Delta decides; that command does not look at the constraints that
 * use a column. Statistics of files written before are no danger: Delta uses none on a collated
 * column, and a plain column keeps the files that have none.
 */
private[delta] object AlterColumnCollation {

  val hook: Hook = Hook(
    name = "collation-change",
    className = "org.apache.spark.sql.delta.schema.SchemaUtils$",
    method = "canChangeDataType",
    signatures = Seq(
      "(sql.types.DataType, sql.types.DataType, scala.Function2, " +
        "sql.delta.DeltaColumnMappingMode, immutable.Seq, boolean, boolean): scala.Option"
    ),
    kind = HookKind.ReplaceResult,
    degradation = "the collation of an existing column cannot be changed",
    requires = Set("change-check"),
    replace = call =>
      (call.arguments(0), call.arguments(1)) match {
        case (UnconstrainedString(), UnconstrainedString()) => Allowed
        case _ => call.value
      }
  )

  /** What Delta returns where it has nothing against a change. */
  private val Allowed: Option[String] = None
}
