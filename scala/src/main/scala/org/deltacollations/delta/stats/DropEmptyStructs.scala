// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.expressions.{Expression, GenericInternalRow, UnaryExpression}
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * The struct with null for every struct in it that holds nothing, so that JSON leaves it out: a
 * column of nulls has no bounds, and a key without bounds says nothing.
 */
final case class DropEmptyStructs(child: Expression) extends UnaryExpression with CodegenFallback {

  override def dataType: DataType = child.dataType

  override def nullable: Boolean = true

  override protected def nullSafeEval(struct: Any): Any =
    pruned(struct.asInstanceOf[InternalRow], child.dataType.asInstanceOf[StructType])

  private def pruned(row: InternalRow, schema: StructType): InternalRow = {
    val values = schema.fields.zipWithIndex.map { case (field, position) =>
      (row.get(position, field.dataType), field.dataType) match {
        case (inner: InternalRow, struct: StructType) => pruned(inner, struct)
        case (value, _) => value
      }
    }
    if (values.forall(_ == null)) null else new GenericInternalRow(values.toArray[Any])
  }

  override protected def withNewChildInternal(newChild: Expression): DropEmptyStructs =
    copy(child = newChild)
}
