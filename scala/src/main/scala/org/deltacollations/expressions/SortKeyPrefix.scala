// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.expressions

import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.types.{DataType, LongType}
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.SparkSortKeys

/**
 * Computes a number from the first characters of a collated string. Of two strings, the lower one
 * has the lower or the same number. Takes a fraction of the time of a sort key.
 */
final case class SortKeyPrefix(child: Expression, keys: SparkSortKeys) extends UnaryExpression {

  override def dataType: DataType = LongType

  override def nullIntolerant: Boolean = true

  override def prettyName: String = "sort_key_prefix"

  override protected def stringArgs: Iterator[Any] = Iterator(child)

  @transient private lazy val writer = keys.writer()

  /** Numbers are signed in Spark and prefixes are not, so the highest bit is inverted. */
  override protected def nullSafeEval(value: Any): Any =
    writer.prefix(value.asInstanceOf[UTF8String]) ^ Long.MinValue

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val writer = SortKey.writer(ctx, keys)
    defineCodeGen(ctx, ev, value => s"$writer.prefix($value) ^ Long.MIN_VALUE")
  }

  override protected def withNewChildInternal(newChild: Expression): SortKeyPrefix =
    copy(child = newChild)
}
