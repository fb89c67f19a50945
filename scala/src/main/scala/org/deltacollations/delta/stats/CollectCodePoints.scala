// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, CodegenFallback, ExprCode}
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.types.{BinaryType, DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.unicode.{CodePointBlockBitmap, CodePointBlocks}

/** Which characters some strings hold, as [[CodePointBlocks]] writes it; empty if there is none. */
final case class CollectCodePoints(child: Expression)
    extends DeclarativeAggregate
    with UnaryLike[Expression] {

  override def dataType: DataType = StringType

  override def nullable: Boolean = false

  override def prettyName: String = "held_blocks"

  private lazy val seen = AttributeReference("seen", BinaryType)()

  override lazy val aggBufferAttributes: Seq[AttributeReference] = Seq(seen)

  override lazy val initialValues: Seq[Expression] = Seq(Literal.create(null, BinaryType))

  override lazy val updateExpressions: Seq[Expression] = Seq(AddCodePoints(seen, child))

  override lazy val mergeExpressions: Seq[Expression] = Seq(MergeCodePoints(seen.left, seen.right))

  override lazy val evaluateExpression: Expression = FormatCodePoints(seen)

  override protected def withNewChildInternal(newChild: Expression): CollectCodePoints =
    copy(child = newChild)
}

/** The bitmap `left` with the characters of the string `right`; changed in place. */
final case class AddCodePoints(left: Expression, right: Expression) extends BinaryExpression {

  override def dataType: DataType = BinaryType

  override def nullable: Boolean = true

  override def eval(input: InternalRow): Any = {
    val seen = left.eval(input).asInstanceOf[Array[Byte]]
    val value = right.eval(input).asInstanceOf[UTF8String]
    if (value == null) seen else CodePointBlockBitmap.including(seen, value)
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val seen = left.genCode(ctx)
    val value = right.genCode(ctx)
    val held = ctx.freshName("held")
    ev.copy(code = code"""
      ${seen.code}
      ${value.code}
      byte[] $held = ${seen.isNull} ? null : ${seen.value};
      byte[] ${ev.value} = ${value.isNull} ? $held
        : ${classOf[CodePointBlockBitmap].getName}.including($held, ${value.value});
      boolean ${ev.isNull} = ${ev.value} == null;""")
  }

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): AddCodePoints = copy(left = newLeft, right = newRight)
}

/** The bitmap `left` with all of the bitmap `right`. */
final case class MergeCodePoints(left: Expression, right: Expression)
    extends BinaryExpression
    with CodegenFallback {

  override def dataType: DataType = BinaryType

  override def nullable: Boolean = true

  override def eval(input: InternalRow): Any = CodePointBlockBitmap.merged(
    left.eval(input).asInstanceOf[Array[Byte]],
    right.eval(input).asInstanceOf[Array[Byte]]
  )

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): MergeCodePoints = copy(left = newLeft, right = newRight)
}

/** A bitmap as text; null, of no string at all, as the empty one. */
final case class FormatCodePoints(child: Expression) extends UnaryExpression with CodegenFallback {

  override def dataType: DataType = StringType

  override def nullable: Boolean = false

  override def eval(input: InternalRow): Any =
    UTF8String.fromString(CodePointBlocks.text(child.eval(input).asInstanceOf[Array[Byte]]))

  override protected def withNewChildInternal(newChild: Expression): FormatCodePoints =
    copy(child = newChild)
}
