// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.coercion

import org.apache.spark.sql.catalyst.expressions.{Cast, CommonExpressionRef, Expression, Literal}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.types.{DataType, StringType}

import org.deltacollations.collation.{CollatedTypes, CommonCollation}

/**
 * Determines the collation of an operand such as `coalesce(plain, collated)`. Spark accepts the function,
 * casts its arguments to a string with an indeterminate collation, and rejects the comparison.
 */
private[coercion] object IndeterminateOperand {

  /** Spark keeps the collation of an expression in this tag, and does not compute it again. */
  private val contextTag = TreeNodeTag[DataType]("collationContext")

  /**
   * Returns the operand with a collation. Returns `None` if its strings have several collations, or if
   * they are not part of the expression, as with a column of a subquery.
   */
  def resolve(operand: Expression): Option[Expression] =
    if (!CommonCollation.isIndeterminate(operand.dataType)) Some(operand)
    else collationOf(operand).map { collated =>
      val resolved = operand.transformUp {
        case cast @ IndeterminateCast(source) =>
          ImplicitCast(source, CommonCollation.resolveIndeterminate(cast.dataType, collated))
        case literal: Literal =>
          ImplicitCast(literal, CommonCollation.resolveIndeterminate(literal.dataType, collated))
      }
      forgetCollation(resolved)
    }.filterNot(resolved => CommonCollation.isIndeterminate(resolved.dataType))

  /**
   * Makes Spark compute the collations of an expression again. References to a common expression keep
   * theirs, because Spark can compute it only where the expression is defined. `BETWEEN` shares one
   * reference between its two comparisons.
   */
  private def forgetCollation(expression: Expression): Expression = {
    expression.foreach {
      case _: CommonExpressionRef => ()
      case node => node.unsetTagValue(contextTag)
    }
    expression
  }

  private def collationOf(operand: Expression): Option[StringType] =
    operand.collect { case IndeterminateCast(source) => source.dataType }
      .flatMap(CollatedTypes.collatedStrings(_)).map(_._2).distinct match {
      case Seq(single) => Some(single)
      case _ => None
    }

  /** Matches a cast of Spark's type coercion, whose operand still has its own collation. */
  private object IndeterminateCast {
    def unapply(cast: Cast): Option[Expression] =
      Some(cast.child).filter(source =>
        CommonCollation.isIndeterminate(cast.dataType) &&
          !CommonCollation.isIndeterminate(source.dataType)
      )
  }
}
