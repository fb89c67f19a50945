// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer

import org.apache.spark.sql.catalyst.expressions.{
  ArrayTransform,
  CreateNamedStruct,
  Expression,
  GetStructField,
  If,
  IsNull,
  LambdaFunction,
  Literal,
  NamedLambdaVariable
}
import org.apache.spark.sql.types.{ArrayType, StringType, StructType}

import org.deltacollations.collation.CollatedTypes

/**
 * Replaces collated strings by their keys. Spark has the same function, but it is private in 4.0.
 */
object CollationKeyInjection {

  /** Replaces the collated strings of `value`, also inside structs and arrays, by `key(string)`. */
  def apply(value: Expression)(key: Expression => Expression): Expression = value.dataType match {
    case dataType if CollatedTypes.isBinaryStable(dataType) => value
    case _: StringType => key(value)
    case StructType(fields) =>
      val keys = CreateNamedStruct(fields.toIndexedSeq.zipWithIndex.flatMap {
        case (field, ordinal) =>
          Seq(Literal(field.name), apply(GetStructField(value, ordinal, Some(field.name)))(key))
      })
      if (value.nullable) If(IsNull(value), Literal(null, keys.dataType), keys) else keys
    case ArrayType(elementType, containsNull) =>
      val element = NamedLambdaVariable("element", elementType, containsNull)
      ArrayTransform(value, LambdaFunction(apply(element)(key), Seq(element)))
    case _ => value
  }
}
