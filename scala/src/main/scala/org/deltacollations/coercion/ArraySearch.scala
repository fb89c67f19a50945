// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.coercion

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{ArrayType, DataType}

/**
 * Functions that compare the elements of arrays and return no string. Spark accepts mixed collations as
 * their arguments, and throws an error when it evaluates them.
 */
private[coercion] object ArraySearch {

  def matches(expression: Expression): Boolean = expression match {
    case _: ArrayContains | _: ArrayPosition | _: ArraysOverlap => true
    case _ => false
  }

  /** Returns the types of the operands, with an array instead of the element that is searched for. */
  def comparedTypes(expression: Expression, types: Seq[DataType]): Seq[DataType] =
    (expression, types) match {
      case (_: ArrayContains | _: ArrayPosition, Seq(array, element)) =>
        Seq(array, ArrayType(element))
      case _ => types
    }

  /** Returns the types of the operands for types that `comparedTypes` has returned. */
  def operandTypes(expression: Expression, compared: Seq[DataType]): Seq[DataType] =
    (expression, compared) match {
      case (_: ArrayContains | _: ArrayPosition, Seq(array, ArrayType(element, _))) =>
        Seq(array, element)
      case _ => compared
    }
}
