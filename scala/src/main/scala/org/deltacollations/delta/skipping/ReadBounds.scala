// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types.{ArrayType, DataType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.protocol.ColumnBounds

/**
 * Parses the JSON statistics of a file and returns the bounds of its string `columns`, given by
 * physical name.
 */
final case class ReadBounds(child: Expression, columns: Seq[Seq[String]])
    extends UnaryExpression
    with CodegenFallback {

  override def dataType: DataType = ReadBounds.Type

  override def nullable: Boolean = true

  override protected def nullSafeEval(stats: Any): Any = {
    val bounds = ColumnBounds.read(stats.toString, columns).map { bounds =>
      InternalRow(
        UTF8String.fromString(ColumnBounds.key(bounds.column)),
        UTF8String.fromString(ColumnBounds.caseFolded(bounds.collation)),
        bounds.collation.version.map(UTF8String.fromString).orNull,
        UTF8String.fromString(bounds.min),
        UTF8String.fromString(bounds.max)
      )
    }
    new GenericArrayData(bounds.toArray[Any])
  }

  override protected def withNewChildInternal(newChild: Expression): ReadBounds =
    copy(child = newChild)
}

object ReadBounds {

  val Column: Int = 0
  val Collation: Int = 1
  val Version: Int = 2
  val Min: Int = 3
  val Max: Int = 4

  private val fields = new StructType()
    .add("column", StringType, nullable = false)
    .add("collation", StringType, nullable = false)
    .add("version", StringType)
    .add("min", StringType, nullable = false)
    .add("max", StringType, nullable = false)

  val Fields: Int = fields.size

  val Type: DataType = ArrayType(fields, containsNull = false)
}
