// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.thriftserver

import org.apache.spark.sql.types.{DataType, StringType}

import org.deltacollations.collation.UnconstrainedString
import org.deltacollations.patch.{Hook, HookKind}

/**
 * Makes the Thrift server return collated strings as it returns all other strings. When it converts
 * rows, it compares the type of a column with `StringType`, which has the collation `UTF8_BINARY`. It
 * formats every other type as a nested value, and so puts collated strings in quotes.
 *
 * Only the types of columns are replaced. Strings in arrays, maps and structs are nested values for any
 * collation, and the type that clients see is `STRING` for any collation.
 */
private[thriftserver] object ResultStrings {

  val hook: Hook = Hook(
    name = "result-strings",
    className = "org.apache.spark.sql.hive.thriftserver.RowSetUtils$",
    method = "toTRowSet",
    signatures = Seq(
      "(long, immutable.Seq, sql.types.DataType[], " +
        "org.apache.hive.service.rpc.thrift.TProtocolVersion): " +
        "org.apache.hive.service.rpc.thrift.TRowSet"
    ),
    kind = HookKind.ReplaceArgument(2),
    degradation = "the Thrift server returns collated strings in quotes",
    replace = call =>
      call.value.asInstanceOf[Array[DataType]].map {
        case UnconstrainedString() => StringType
        case other => other
      }
  )
}
