// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.coercion

import org.apache.spark.sql.catalyst.expressions.{Alias, Coalesce, NamedExpression}
import org.apache.spark.sql.catalyst.plans.FullOuter
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule

import org.deltacollations.collation.CommonCollation

/**
 * Determines the collation of the columns that a full join with `USING` or `NATURAL` merges. Spark builds
 * `coalesce(left, right)`, whose collation would be indeterminate although the join has one.
 */
private[deltacollations] object CoerceUsingColumns extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case project @ Project(columns, Join(_, _, FullOuter, Some(condition), _))
        // Spark sets this tag for USING and NATURAL only.
        if project.getTagValue(Project.hiddenOutputTag).isDefined &&
          columns.exists(isIndeterminate) && ImplicitCast.isIn(condition) =>
      project.copy(projectList = columns.map(resolve))
  }

  private def isIndeterminate(column: NamedExpression): Boolean =
    column.resolved && CommonCollation.isIndeterminate(column.dataType)

  private def resolve(column: NamedExpression): NamedExpression = column match {
    case alias @ Alias(merged: Coalesce, _) if isIndeterminate(alias) =>
      IndeterminateOperand.resolve(merged).fold(column)(resolved =>
        alias.copy(child = resolved)(
          alias.exprId,
          alias.qualifier,
          alias.explicitMetadata,
          alias.nonInheritableMetadataKeys
        )
      )
    case _ => column
  }
}
