// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.types.{BinaryType, DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.CollationOrder

/**
 * The smallest or the largest string under `order`; null if there is none.
 *
 * It takes the place of Spark's `Min` and `Max`, which look the collation up for every row and
 * decode both strings to compare them. What is held is bytes, because Spark copies a string that is
 * held for every row, changed or not.
 */
final case class CollatedMinMax(
    child: Expression,
    order: CollationOrder,
    end: MinOrMax,
    dataType: DataType = StringType
) extends DeclarativeAggregate
    with UnaryLike[Expression] {

  override def nullable: Boolean = true

  override def prettyName: String = s"collated_${end.function}"

  override protected def stringArgs: Iterator[Any] = Iterator(child)

  private lazy val held = AttributeReference("held", BinaryType)()

  override lazy val aggBufferAttributes: Seq[AttributeReference] = Seq(held)

  override lazy val initialValues: Seq[Expression] = Seq(Literal.create(null, BinaryType))

  override lazy val updateExpressions: Seq[Expression] =
    Seq(UpdateMinMax(held, child, order, end))

  override lazy val mergeExpressions: Seq[Expression] =
    Seq(UpdateMinMax(held.left, Cast(held.right, StringType), order, end))

  override lazy val evaluateExpression: Expression = Cast(held, dataType)

  override protected def withNewChildInternal(newChild: Expression): CollatedMinMax =
    copy(child = newChild)
}

/** The bytes of `right` if it goes beyond `left`, which are the bytes of the extreme so far. */
final case class UpdateMinMax(
    left: Expression,
    right: Expression,
    order: CollationOrder,
    end: MinOrMax
) extends BinaryExpression {

  override def dataType: DataType = BinaryType

  override def nullable: Boolean = left.nullable && right.nullable

  override def eval(input: InternalRow): Any =
    choose(left.eval(input).asInstanceOf[Array[Byte]], right.eval(input).asInstanceOf[UTF8String])

  def choose(held: Array[Byte], candidate: UTF8String): Array[Byte] =
    if (candidate == null) held
    else if (held != null && !end.isBeyond(order.compare(candidate, string(held)))) held
    else candidate.copy.getBytes

  /** The extreme so far as a string, made once for as long as it stays. */
  private def string(held: Array[Byte]): UTF8String = {
    val known = latest
    if (known != null && (known.getBaseObject eq held)) known
    else {
      val made = UTF8String.fromBytes(held)
      latest = made
      made
    }
  }

  @transient private var latest: UTF8String = _

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val chooser = ctx.addReferenceObj("moreExtreme", this)
    val held = left.genCode(ctx)
    val candidate = right.genCode(ctx)
    ev.copy(code = code"""
      ${held.code}
      ${candidate.code}
      byte[] ${ev.value} = $chooser.choose(
        ${held.isNull} ? null : ${held.value}, ${candidate.isNull} ? null : ${candidate.value});
      boolean ${ev.isNull} = ${ev.value} == null;""")
  }

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): UpdateMinMax = copy(left = newLeft, right = newRight)
}
