// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.schema

import org.apache.spark.sql.delta.schema.UnsupportedDataTypeInfo

import org.deltacollations.collation.CollatedString
import org.deltacollations.delta.patch.{Hook, HookKind}

/**
 * Takes collated strings off the list of types Delta refuses, and nothing else: Delta's own switch
 * for the check would let every other unsupported type through as well.
 */
private[delta] object UnsupportedTypeCheck {

  val hook: Hook = Hook(
    name = "type-check",
    className = "org.apache.spark.sql.delta.schema.SchemaUtils$",
    method = "findUnsupportedDataTypes",
    signatures = Seq("(sql.types.StructType): immutable.Seq"),
    kind = HookKind.ReplaceResult,
    degradation = "tables with a collated column cannot be created, only read and appended to",
    // It refuses collated map keys, which PySpark cannot read.
    requires = Set("metadata-check"),
    replace = call =>
      call.value
        .asInstanceOf[Seq[UnsupportedDataTypeInfo]]
        .filter(column => CollatedString.unapply(column.dataType).isEmpty)
  )
}
