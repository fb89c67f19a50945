// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.schema

import org.apache.spark.sql.Dataset
import org.apache.spark.sql.delta.OptimisticTransaction

import org.deltacollations.delta.patch.{Hook, HookKind}

/**
 * Casts rows to the collations of the table right before they are written, so that constraints and
 * statistics see the strings as the table does. The bytes of a value stay as they are. Without it,
 * [[DependentExpressionCheck]] is not used either, and Delta refuses strings of another collation there.
 *
 * The transaction knows the schema that is being committed; so a write that replaces the schema,
 * like every write of Delta's own, brings equal types and is left alone.
 */
private[delta] object WriteCast {

  val hook: Hook = Hook(
    name = "write-cast",
    className = "org.apache.spark.sql.delta.files.TransactionalWrite",
    method = "writeFiles",
    signatures = Seq("(sql.Dataset, scala.Option, boolean, immutable.Seq): immutable.Seq"),
    kind = HookKind.ReplaceArgument(0),
    degradation = "path writes to columns of a constraint must bring the collation of the column",
    replace = call => {
      val rows = call.arguments(0).asInstanceOf[Dataset[_]]
      AlignedRows(rows, call.receiver.asInstanceOf[OptimisticTransaction].metadata.schema)
    }
  )
}
