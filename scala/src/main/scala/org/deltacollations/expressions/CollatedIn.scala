// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.expressions

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Expression, Predicate, UnaryExpression}
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.SparkSortKeys

/**
 * Tests whether a collated string equals one of several constants, by looking it up in a hash set.
 *
 * @param constants
 *   the constants of the list that are not NULL
 * @param hasNull
 *   whether the list contains NULL. If it does, the result for a value that is not found is NULL.
 */
final case class CollatedIn(
    child: Expression,
    constants: Seq[UTF8String],
    hasNull: Boolean,
    keys: SparkSortKeys
) extends UnaryExpression
    with Predicate {

  override def nullable: Boolean = child.nullable || hasNull

  override def toString: String = s"$child IN ${constants.mkString("(", ", ", ")")} using sort_key"

  override def sql: String = s"(${child.sql} IN (${constants.mkString(", ")}))"

  @transient private lazy val set = new SortKeySet(keys.writer(), constants.asJava)

  /**
   * Returns whether `value` is one of the constants. Generated code calls it too. Not thread-safe.
   */
  def contains(value: UTF8String): Boolean = set.contains(value)

  override protected def nullSafeEval(value: Any): Any =
    if (contains(value.asInstanceOf[UTF8String])) true else if (hasNull) null else false

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val self = ctx.addReferenceObj("in", this)
    val value = child.genCode(ctx)
    ev.copy(code = code"""
      ${value.code}
      boolean ${ev.isNull} = ${value.isNull};
      boolean ${ev.value} = false;
      if (!${ev.isNull}) {
        ${ev.value} = $self.contains(${value.value});
        ${if (hasNull) s"${ev.isNull} = !${ev.value};" else ""}
      }
    """)
  }

  override protected def withNewChildInternal(newChild: Expression): CollatedIn =
    copy(child = newChild)
}
