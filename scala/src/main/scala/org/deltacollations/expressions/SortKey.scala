// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.expressions

import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.types.{BinaryType, DataType}
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.SparkSortKeys
import org.deltacollations.collation.sortkey.SortKeys

/**
 * Computes the sort key of a collated string. The keys of two strings compare byte by byte like the
 * strings themselves.
 *
 * The bytes and the type are those of Spark's `CollationKey`, so that both expressions can be
 * compared with each other and with keys that Spark has folded into literals.
 */
final case class SortKey(child: Expression, keys: SparkSortKeys) extends UnaryExpression {

  override def dataType: DataType = BinaryType

  override def nullIntolerant: Boolean = true

  override def prettyName: String = "sort_key"

  override protected def stringArgs: Iterator[Any] = Iterator(child)

  @transient private lazy val writer = keys.writer()

  override protected def nullSafeEval(value: Any): Any = writer.key(value.asInstanceOf[UTF8String])

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val writer = SortKey.writer(ctx, keys)
    defineCodeGen(ctx, ev, value => s"$writer.key($value)")
  }

  override protected def withNewChildInternal(newChild: Expression): SortKey =
    copy(child = newChild)
}

object SortKey {

  /**
   * Adds a key writer to the generated code, one per task, and returns the name of its variable.
   */
  private[expressions] def writer(ctx: CodegenContext, keys: SparkSortKeys): String = {
    val keysReference = ctx.addReferenceObj("keys", keys, classOf[SparkSortKeys].getName)
    val writerClass = classOf[SortKeys#Writer].getCanonicalName
    ctx.addMutableState(writerClass, "keyWriter", name => s"$name = $keysReference.writer();")
  }
}
