// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats

import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.CollationOrder
import org.deltacollations.expressions.MinOrMax

/**
 * Truncates the minimum or maximum `child` of a file by [[BoundTruncation]]. Returns null if no string
 * within the size limit is a bound.
 */
final case class TruncateBound(
    child: Expression,
    prefix: Int,
    order: CollationOrder,
    minOrMax: MinOrMax
) extends UnaryExpression
    with CodegenFallback {

  override def dataType: DataType = StringType

  override def nullable: Boolean = true

  override protected def nullSafeEval(input: Any): Any = {
    val value = input.asInstanceOf[UTF8String]
    val bound = minOrMax match {
      case MinOrMax.Min => BoundTruncation.truncateMin(value, prefix, order)
      case MinOrMax.Max => BoundTruncation.truncateMax(value, prefix, order)
    }
    bound.orNull
  }

  override protected def withNewChildInternal(newChild: Expression): TruncateBound =
    copy(child = newChild)
}
