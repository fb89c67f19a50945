// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.coercion

import org.apache.spark.sql.catalyst.analysis.CollationTypeCoercion
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.trees.TreeNodeTag

import org.deltacollations.collation.CollatedTypes

/**
 * Rejects `collated BETWEEN plain AND 'z'` on Spark 4.0 and 4.1.
 *
 * `BETWEEN` refers to its left operand twice, and these versions do not know the collation of a
 * reference. They compare it with a column in the order of the column, and reject the comparison with a
 * literal. If only the latter were changed, the two comparisons would use different orders.
 */
private[coercion] object CommonExpressionCheck {

  /** The comparison that Spark rejects, as it was before its operands were cast. */
  private val rejectedTag = TreeNodeTag[Expression]("deltaCollations.rejectedComparison")

  /** Spark 4.2 passes the collation of the expression on to its references with this method. */
  private lazy val knowsReferences = CollationTypeCoercion.getClass.getMethods
    .exists(_.getName.endsWith("preTagCommonExpressionRefs"))

  /** Remembers that `changed` is accepted instead of `rejected`. */
  def record(rejected: Expression, changed: Expression): Expression = {
    if (!knowsReferences && rejected.children.exists(_.isInstanceOf[CommonExpressionRef]))
      changed.setTagValue(rejectedTag, rejected)
    changed
  }

  /** Returns a comparison that must be rejected, because another one has the order of its column. */
  def rejectedIn(definitions: With): Option[Expression] =
    if (knowsReferences || !definitions.child.exists(hasOtherOrder)) None
    else definitions.child.collectFirst(Function.unlift(_.getTagValue(rejectedTag)))

  private def hasOtherOrder(expression: Expression): Boolean = expression match {
    case cast @ Cast(reference: CommonExpressionRef, _, _, _) =>
      CollatedTypes.hasCollation(reference.dataType) && cast.dataType != reference.dataType
    case _ => false
  }
}
