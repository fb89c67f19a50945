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
 * Computes the minimum or maximum of strings under `order`, or null if all strings are null.
 *
 * Replaces Spark's `Min` and `Max`, which look up the collation and decode both strings for every
 * row. The aggregation buffer is binary, because Spark copies a string in a buffer for every row
 * even if it does not change.
 */
final case class CollatedMinMax(
    child: Expression,
    order: CollationOrder,
    minOrMax: MinOrMax,
    dataType: DataType = StringType
) extends DeclarativeAggregate
    with UnaryLike[Expression] {

  override def nullable: Boolean = true

  override def prettyName: String = s"collated_${minOrMax.function}"

  override protected def stringArgs: Iterator[Any] = Iterator(child)

  private lazy val buffer = AttributeReference(minOrMax.function, BinaryType)()

  override lazy val aggBufferAttributes: Seq[AttributeReference] = Seq(buffer)

  override lazy val initialValues: Seq[Expression] = Seq(Literal.create(null, BinaryType))

  override lazy val updateExpressions: Seq[Expression] =
    Seq(UpdateMinMax(buffer, child, order, minOrMax))

  override lazy val mergeExpressions: Seq[Expression] =
    Seq(UpdateMinMax(buffer.left, Cast(buffer.right, StringType), order, minOrMax))

  override lazy val evaluateExpression: Expression = Cast(buffer, dataType)

  override protected def withNewChildInternal(newChild: Expression): CollatedMinMax =
    copy(child = newChild)
}

/**
 * Returns the bytes of the new extreme.
 *
 * @param left
 *   the bytes of the extreme so far
 * @param right
 *   the string of the current row
 */
final case class UpdateMinMax(
    left: Expression,
    right: Expression,
    order: CollationOrder,
    minOrMax: MinOrMax
) extends BinaryExpression {

  override def dataType: DataType = BinaryType

  override def nullable: Boolean = left.nullable && right.nullable

  override def eval(input: InternalRow): Any =
    update(left.eval(input).asInstanceOf[Array[Byte]], right.eval(input).asInstanceOf[UTF8String])

  /** Called by generated code too. Copies the bytes of `candidate`, whose memory Spark reuses. */
  def update(extreme: Array[Byte], candidate: UTF8String): Array[Byte] =
    if (candidate == null) extreme
    else if (extreme != null && !minOrMax.isBeyond(order.compare(candidate, string(extreme))))
      extreme
    else candidate.copy.getBytes

  /** Returns the extreme as a string, which is cached until the extreme changes. */
  private def string(extreme: Array[Byte]): UTF8String = {
    val cached = cachedString
    if (cached != null && (cached.getBaseObject eq extreme)) cached
    else {
      val created = UTF8String.fromBytes(extreme)
      cachedString = created
      created
    }
  }

  @transient private var cachedString: UTF8String = _

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val self = ctx.addReferenceObj("updateMinMax", this)
    val extreme = left.genCode(ctx)
    val candidate = right.genCode(ctx)
    ev.copy(code = code"""
      ${extreme.code}
      ${candidate.code}
      byte[] ${ev.value} = $self.update(
        ${extreme.isNull} ? null : ${extreme.value},
        ${candidate.isNull} ? null : ${candidate.value});
      boolean ${ev.isNull} = ${ev.value} == null;""")
  }

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): UpdateMinMax = copy(left = newLeft, right = newRight)
}
