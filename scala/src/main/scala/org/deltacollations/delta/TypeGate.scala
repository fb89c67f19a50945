// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta

import org.apache.spark.sql.delta.schema.UnsupportedDataTypeInfo
import org.apache.spark.sql.types.StructType

import org.deltacollations.catalyst.{CollatedString, CollatedTypes}
import org.deltacollations.errors.CollationsErrors

/**
 * Takes collated strings off the list of types Delta refuses, and nothing else: Delta's own switch
 * for the check would let every other unsupported type through as well.
 */
private[delta] object TypeGate {

  val hook: Hook = Hook(
    name = "type-check",
    className = "org.apache.spark.sql.delta.schema.SchemaUtils$",
    method = "findUnsupportedDataTypes",
    shape = HookShape.FilterResult,
    withoutIt = "tables with a collated column cannot be created, only read and appended to",
    answer = call =>
      stillUnsupported(
        call.value.asInstanceOf[Seq[UnsupportedDataTypeInfo]],
        call.arguments.head.asInstanceOf[StructType]
      )
  )

  private def stillUnsupported(
      refused: Seq[UnsupportedDataTypeInfo],
      schema: StructType
  ): Seq[UnsupportedDataTypeInfo] =
    if (refused.isEmpty) refused
    else {
      CollatedTypes.collatedMapKeys(schema).foreach { case (path, key) =>
        throw CollationsErrors.mapKeyUnsupported(path.mkString("."), key.sql)
      }
      refused.filter(column => CollatedString.unapply(column.dataType).isEmpty)
    }
}
