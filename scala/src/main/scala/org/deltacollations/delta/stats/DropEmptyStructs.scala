// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.expressions.{Expression, GenericInternalRow, UnaryExpression}
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * Replaces structs that contain only nulls by null, at all levels, so that `to_json` omits them. A
 * column of nulls has no bounds, and a key of `statsWithCollation` without bounds is useless.
 */
final case class DropEmptyStructs(child: Expression) extends UnaryExpression with CodegenFallback {

  override def dataType: DataType = child.dataType

  override def nullable: Boolean = true

  override protected def nullSafeEval(struct: Any): Any =
    dropEmpty(struct.asInstanceOf[InternalRow], child.dataType.asInstanceOf[StructType])

  private def dropEmpty(row: InternalRow, schema: StructType): InternalRow = {
    val values = schema.fields.zipWithIndex.map { case (field, position) =>
      (row.get(position, field.dataType), field.dataType) match {
        case (nested: InternalRow, struct: StructType) => dropEmpty(nested, struct)
        case (value, _) => value
      }
    }
    if (values.forall(_ == null)) null else new GenericInternalRow(values.toArray[Any])
  }

  override protected def withNewChildInternal(newChild: Expression): DropEmptyStructs =
    copy(child = newChild)
}
