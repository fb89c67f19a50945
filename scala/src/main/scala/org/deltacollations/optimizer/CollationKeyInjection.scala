// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer

import org.apache.spark.sql.catalyst.expressions.{
  ArrayTransform,
  CollationKey,
  CreateNamedStruct,
  Expression,
  GetStructField,
  If,
  IsNull,
  LambdaFunction,
  Literal,
  NamedLambdaVariable
}
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.types.{ArrayType, StringType, StructType}

/** Spark does so itself, but where others can call it only from 4.1 on. */
object CollationKeyInjection {

  /** `value` with Spark's collation keys for its collated strings, also in structs and arrays. */
  def in(value: Expression): Expression = value.dataType match {
    case kind if UnsafeRowUtils.isBinaryStable(kind) => value
    case _: StringType => CollationKey(value)
    case StructType(fields) =>
      val keys = CreateNamedStruct(fields.toIndexedSeq.zipWithIndex.flatMap { case (field, place) =>
        Seq(Literal(field.name), in(GetStructField(value, place, Some(field.name))))
      })
      if (value.nullable) If(IsNull(value), Literal(null, keys.dataType), keys) else keys
    case ArrayType(kind, hasNulls) =>
      val each = NamedLambdaVariable("each", kind, hasNulls)
      ArrayTransform(value, LambdaFunction(in(each), Seq(each)))
    case _ => value
  }
}
