// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.BoundReference
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import org.scalatest.funsuite.AnyFunSuite

class DropEmptyStructsSuite extends AnyFunSuite {

  test("a struct with only null fields becomes null at every depth") {
    val inner = new StructType().add("x", StringType)
    val schema = new StructType().add("a", inner).add("b", inner)
    val expression = DropEmptyStructs(BoundReference(0, schema, nullable = true))
    def dropped(row: InternalRow): Any = expression.eval(InternalRow(row))

    assert(dropped(InternalRow(InternalRow(null), InternalRow(null))) === null)
    val value = UTF8String.fromString("v")
    val half = dropped(InternalRow(InternalRow(value), InternalRow(null)))
    assert(half === InternalRow(InternalRow(value), null))
  }
}
