// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.speed

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.catalyst.expressions.codegen.{CodeGenerator, CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  BoundReference,
  Coalesce,
  Expression,
  Least,
  Literal,
  UnaryExpression,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.types.{DataType, LongType, StringType}
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/**
 * The first value of a group, which is how a group that was made by keys shows what it was made of.
 *
 * What the buffer holds is the number of the value in `store`, so Spark can aggregate by hashing.
 * Numbers mean something only within a task: a plan that hands buffers on must put values in their
 * place. They count up, so the smallest of several is that of the value seen first, also after Spark
 * has spilled and merged.
 */
final case class FirstInGroup(child: Expression, store: SpillableValueStore)
    extends DeclarativeAggregate
    with UnaryLike[Expression] {

  override def dataType: DataType = child.dataType

  override def nullable: Boolean = child.nullable

  private lazy val number = AttributeReference("value_id", LongType)()

  override lazy val aggBufferAttributes: Seq[AttributeReference] = Seq(number)

  override lazy val initialValues: Seq[Expression] = Seq(Literal.create(null, LongType))

  override lazy val updateExpressions: Seq[Expression] =
    Seq(Coalesce(Seq(number, StoreValue(child, store))))

  override lazy val mergeExpressions: Seq[Expression] =
    Seq(Least(Seq(number.left, number.right)))

  override lazy val evaluateExpression: Expression = LoadValue(number, store, child.dataType)

  override def prettyName: String = "first_in_group"

  override protected def stringArgs: Iterator[Any] = Iterator(child)

  override protected def withNewChildInternal(newChild: Expression): FirstInGroup =
    copy(child = newChild)
}

/** Puts a value into `store`, and is the number it has there. */
final case class StoreValue(child: Expression, store: SpillableValueStore)
    extends UnaryExpression {

  override def prettyName: String = "store_value"

  override def dataType: DataType = LongType

  override def nullIntolerant: Boolean = true

  /** It must run exactly when it is asked for: a number is of one moment. */
  override lazy val deterministic: Boolean = false

  /** Values that are no strings are kept as rows of one column. */
  @transient private lazy val row =
    UnsafeProjection.create(Seq(BoundReference(0, child.dataType, nullable = false)))

  override protected def nullSafeEval(value: Any): Any = put(value)

  def put(value: Any): Long = value match {
    case text: UTF8String =>
      store.put(text.getBaseObject, text.getBaseOffset, text.numBytes)
    case other =>
      val kept = row(InternalRow(other))
      store.put(kept.getBaseObject, kept.getBaseOffset, kept.getSizeInBytes)
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val self = ctx.addReferenceObj("storeValue", this)
    defineCodeGen(ctx, ev, value => s"$self.put($value)")
  }

  override protected def stringArgs: Iterator[Any] = Iterator(child)

  override protected def withNewChildInternal(newChild: Expression): StoreValue =
    copy(child = newChild)
}

/** The value that has this number in `store`. */
final case class LoadValue(child: Expression, store: SpillableValueStore, dataType: DataType)
    extends UnaryExpression {

  override def prettyName: String = "load_value"

  override def nullIntolerant: Boolean = true

  override protected def nullSafeEval(number: Any): Any = get(number.asInstanceOf[Long])

  def get(number: Long): Any = {
    val seen = store.get(number)
    dataType match {
      case _: StringType => seen
      case other =>
        val row = new UnsafeRow(1)
        // Not every machine reads a row from where it happens to lie.
        val bytes = seen.getBytes
        row.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET, bytes.length)
        row.get(0, other)
    }
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val self = ctx.addReferenceObj("loadValue", this)
    val boxed = CodeGenerator.boxedType(dataType)
    defineCodeGen(ctx, ev, number => s"($boxed) $self.get($number)")
  }

  override protected def stringArgs: Iterator[Any] = Iterator(child)

  override protected def withNewChildInternal(newChild: Expression): LoadValue =
    copy(child = newChild)
}
