// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats

import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.CollationOrder
import org.deltacollations.expressions.MinOrMax

/** The extreme of a file, shortened as far as `order` proves; null if nothing short is proven. */
final case class TruncateBound(child: Expression, prefix: Int, order: CollationOrder, end: MinOrMax)
    extends UnaryExpression
    with CodegenFallback {

  override def dataType: DataType = StringType

  override def nullable: Boolean = true

  override protected def nullSafeEval(extreme: Any): Any = {
    val value = extreme.asInstanceOf[UTF8String]
    val bound = end match {
      case MinOrMax.Min => BoundTruncation.truncateMin(value, prefix, order)
      case MinOrMax.Max => BoundTruncation.truncateMax(value, prefix, order)
    }
    bound.orNull
  }

  override protected def withNewChildInternal(newChild: Expression): TruncateBound =
    copy(child = newChild)
}
