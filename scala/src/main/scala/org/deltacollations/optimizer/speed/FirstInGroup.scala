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
 * Returns the first value of a group, for a group that was formed by sort keys and has to show one
 * of its values.
 *
 * The buffer contains the id of the value in `store`, which has a fixed width, so that Spark can
 * use hash aggregation. Ids are valid only within a task: a plan that passes buffers to another
 * task must replace them by the values. Ids increase, so the smallest of several ids belongs to the
 * value that came first, also after Spark has spilled and merged buffers.
 */
final case class FirstInGroup(child: Expression, store: SpillableValueStore)
    extends DeclarativeAggregate
    with UnaryLike[Expression] {

  override def dataType: DataType = child.dataType

  override def nullable: Boolean = child.nullable

  private lazy val valueId = AttributeReference("value_id", LongType)()

  override lazy val aggBufferAttributes: Seq[AttributeReference] = Seq(valueId)

  override lazy val initialValues: Seq[Expression] = Seq(Literal.create(null, LongType))

  override lazy val updateExpressions: Seq[Expression] =
    Seq(Coalesce(Seq(valueId, StoreValue(child, store))))

  override lazy val mergeExpressions: Seq[Expression] =
    Seq(Least(Seq(valueId.left, valueId.right)))

  override lazy val evaluateExpression: Expression = LoadValue(valueId, store, child.dataType)

  override def prettyName: String = "first_in_group"

  override protected def stringArgs: Iterator[Any] = Iterator(child)

  override protected def withNewChildInternal(newChild: Expression): FirstInGroup =
    copy(child = newChild)
}

/** Adds a value to `store` and returns its id. */
final case class StoreValue(child: Expression, store: SpillableValueStore)
    extends UnaryExpression {

  override def prettyName: String = "store_value"

  override def dataType: DataType = LongType

  override def nullIntolerant: Boolean = true

  /** Each evaluation adds a value and returns a new id, so Spark must not move or repeat it. */
  override lazy val deterministic: Boolean = false

  /** Converts values that are not strings to rows of one column. */
  @transient private lazy val toRow =
    UnsafeProjection.create(Seq(BoundReference(0, child.dataType, nullable = false)))

  override protected def nullSafeEval(value: Any): Any = put(value)

  def put(value: Any): Long = value match {
    case string: UTF8String =>
      store.put(string.getBaseObject, string.getBaseOffset, string.numBytes)
    case other =>
      val row = toRow(InternalRow(other))
      store.put(row.getBaseObject, row.getBaseOffset, row.getSizeInBytes)
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val self = ctx.addReferenceObj("storeValue", this)
    defineCodeGen(ctx, ev, value => s"$self.put($value)")
  }

  override protected def stringArgs: Iterator[Any] = Iterator(child)

  override protected def withNewChildInternal(newChild: Expression): StoreValue =
    copy(child = newChild)
}

/** Returns the value with the given id in `store`. */
final case class LoadValue(child: Expression, store: SpillableValueStore, dataType: DataType)
    extends UnaryExpression {

  override def prettyName: String = "load_value"

  override def nullIntolerant: Boolean = true

  override protected def nullSafeEval(id: Any): Any = get(id.asInstanceOf[Long])

  def get(id: Long): Any = {
    val stored = store.get(id)
    dataType match {
      case _: StringType => stored
      case other =>
        val row = new UnsafeRow(1)
        // Copies the bytes, because not every platform supports unaligned access to a row.
        val bytes = stored.getBytes
        row.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET, bytes.length)
        row.get(0, other)
    }
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val self = ctx.addReferenceObj("loadValue", this)
    val boxed = CodeGenerator.boxedType(dataType)
    defineCodeGen(ctx, ev, id => s"($boxed) $self.get($id)")
  }

  override protected def stringArgs: Iterator[Any] = Iterator(child)

  override protected def withNewChildInternal(newChild: Expression): LoadValue =
    copy(child = newChild)
}
