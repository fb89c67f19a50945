// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.coercion

import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, Literal}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.DataType

/** Casts an operand to a type that differs from its own only in collations. */
private[coercion] object ImplicitCast {

  private val tag = TreeNodeTag[Unit]("deltaCollations.implicitCast")

  /** Changes the type of a literal in place, as Spark does, so that filters can still skip files. */
  def apply(operand: Expression, dataType: DataType): Expression = operand match {
    case _ if operand.dataType == dataType => operand
    case literal: Literal => literal.copy(dataType = dataType)
    case _ =>
      val cast = Cast(operand, dataType, Some(SQLConf.get.sessionLocalTimeZone))
      cast.setTagValue(tag, ())
      cast
  }

  /** Whether the expression contains a cast of this object. */
  def isIn(expression: Expression): Boolean = expression.exists(_.getTagValue(tag).isDefined)
}
