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

/**
 * Collects the code points of all strings, in the format of [[CodePointBlocks]]; an empty string if
 * there are none.
 */
final case class CollectCodePoints(child: Expression)
    extends DeclarativeAggregate
    with UnaryLike[Expression] {

  override def dataType: DataType = StringType

  override def nullable: Boolean = false

  override def prettyName: String = "collect_code_points"

  private lazy val bitmap = AttributeReference("bitmap", BinaryType)()

  override lazy val aggBufferAttributes: Seq[AttributeReference] = Seq(bitmap)

  override lazy val initialValues: Seq[Expression] = Seq(Literal.create(null, BinaryType))

  override lazy val updateExpressions: Seq[Expression] = Seq(AddCodePoints(bitmap, child))

  override lazy val mergeExpressions: Seq[Expression] =
    Seq(MergeCodePoints(bitmap.left, bitmap.right))

  override lazy val evaluateExpression: Expression = FormatCodePoints(bitmap)

  override protected def withNewChildInternal(newChild: Expression): CollectCodePoints =
    copy(child = newChild)
}

/** Adds the code points of the string `right` to the bitmap `left`, in place. */
final case class AddCodePoints(left: Expression, right: Expression) extends BinaryExpression {

  override def dataType: DataType = BinaryType

  override def nullable: Boolean = true

  override def eval(input: InternalRow): Any = {
    val bitmap = left.eval(input).asInstanceOf[Array[Byte]]
    val value = right.eval(input).asInstanceOf[UTF8String]
    if (value == null) bitmap else CodePointBlockBitmap.add(bitmap, value)
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val bitmap = left.genCode(ctx)
    val value = right.genCode(ctx)
    val bitmapOrNull = ctx.freshName("bitmap")
    ev.copy(code = code"""
      ${bitmap.code}
      ${value.code}
      byte[] $bitmapOrNull = ${bitmap.isNull} ? null : ${bitmap.value};
      byte[] ${ev.value} = ${value.isNull} ? $bitmapOrNull
        : ${classOf[CodePointBlockBitmap].getName}.add($bitmapOrNull, ${value.value});
      boolean ${ev.isNull} = ${ev.value} == null;""")
  }

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): AddCodePoints = copy(left = newLeft, right = newRight)
}

/** Merges two bitmaps. */
final case class MergeCodePoints(left: Expression, right: Expression)
    extends BinaryExpression
    with CodegenFallback {

  override def dataType: DataType = BinaryType

  override def nullable: Boolean = true

  override def eval(input: InternalRow): Any = CodePointBlockBitmap.merge(
    left.eval(input).asInstanceOf[Array[Byte]],
    right.eval(input).asInstanceOf[Array[Byte]]
  )

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): MergeCodePoints = copy(left = newLeft, right = newRight)
}

/** Formats a bitmap as a string. A null bitmap, of no strings, is the empty string. */
final case class FormatCodePoints(child: Expression) extends UnaryExpression with CodegenFallback {

  override def dataType: DataType = StringType

  override def nullable: Boolean = false

  override def eval(input: InternalRow): Any =
    UTF8String.fromString(CodePointBlocks.format(child.eval(input).asInstanceOf[Array[Byte]]))

  override protected def withNewChildInternal(newChild: Expression): FormatCodePoints =
    copy(child = newChild)
}
