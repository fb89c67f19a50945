// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.schema

import org.apache.spark.sql.delta.schema.UnsupportedDataTypeInfo

import org.deltacollations.collation.CollatedString
import org.deltacollations.patch.{Hook, HookKind}

/**
 * Removes collated strings from the unsupported types that Delta finds in a schema. Delta's own setting
 * disables the check for all other unsupported types as well.
 */
private[delta] object UnsupportedTypeCheck {

  val hook: Hook = Hook(
    name = "type-check",
    className = "org.apache.spark.sql.delta.schema.SchemaUtils$",
    method = "findUnsupportedDataTypes",
    signatures = Seq("(sql.types.StructType): immutable.Seq"),
    kind = HookKind.ReplaceResult,
    degradation = "tables with a collated column cannot be created, only read and appended to",
    // That hook rejects collated map keys, which PySpark cannot read.
    requires = Set("metadata-check"),
    replace = call =>
      call.value
        .asInstanceOf[Seq[UnsupportedDataTypeInfo]]
        .filter(column => CollatedString.unapply(column.dataType).isEmpty)
  )
}
