// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.types.{BinaryType, DataType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.CollationOrder
import org.deltacollations.protocol.{BoundsReader, ColumnBounds}

/**
 * Parses the JSON statistics of a file and returns a struct with the [[FileBounds]] of each of `bounds`,
 * which are given by the physical names of the columns. A field is null if the file does not have them.
 */
final case class ReadBounds(child: Expression, bounds: Seq[ColumnBounds]) extends UnaryExpression {

  override def prettyName: String = "read_bounds"

  override def dataType: DataType =
    StructType(bounds.map(ReadBounds.fieldName)
      .foldLeft(new StructType)((struct, name) => struct.add(name, BinaryType)))

  override def nullable: Boolean = true

  @transient private lazy val parser = new ReadBounds.Parser(bounds)

  override protected def nullSafeEval(stats: Any): Any =
    parser.parse(stats.asInstanceOf[UTF8String])

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val parserName = ctx.addReferenceObj("parser", new ReadBounds.Parser(bounds))
    nullSafeCodeGen(ctx, ev, stats => s"${ev.value} = $parserName.parse($stats);")
  }

  override protected def withNewChildInternal(newChild: Expression): ReadBounds =
    copy(child = newChild)
}

object ReadBounds {

  /** Returns the name of the field with `bounds`. */
  def fieldName(bounds: ColumnBounds): String =
    s"${ColumnBounds.key(bounds.column)} ${bounds.collation}"

  /** Serialized by its arguments, because a reader is created where it is used. */
  final class Parser(bounds: Seq[ColumnBounds]) extends Serializable {

    @transient private lazy val reader = new BoundsReader(bounds)

    @transient private lazy val orders: IndexedSeq[CollationOrder] =
      bounds.map(each => BoundsCollation.of(each.collation).order).toIndexedSeq

    def parse(stats: UTF8String): InternalRow = {
      val found = reader.read(stats.toString)
      val fields = found.indices.map(index => FileBounds.encode(found(index), orders(index)))
      InternalRow.fromSeq(fields)
    }
  }
}
