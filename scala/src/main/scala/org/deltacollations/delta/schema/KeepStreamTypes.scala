// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.schema

import org.apache.spark.sql.catalyst.expressions.{Alias, AttributeReference, Cast, ExprId}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types.DataType

import org.deltacollations.collation.CollatedTypes

/**
 * Keeps the collations of a streaming DataFrame that was created before a collation of its source
 * changed. Spark gives the columns of each batch the identifiers of the columns of the DataFrame, but not
 * their types, so a comparison would have operands of different collations.
 */
private[deltacollations] object KeepStreamTypes extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.isStreaming) plan
    else {
      val types = referencedTypes(plan)
      plan.transform { case project: Project =>
        val columns = project.projectList.map {
          case alias @ Alias(column: AttributeReference, _) =>
            types.get(alias.exprId).filter(isOtherCollation(column.dataType, _))
              .fold(alias)(expected =>
                alias.withNewChildren(Seq(Cast(column, expected))).asInstanceOf[Alias]
              )
          case other => other
        }
        project.copy(projectList = columns)
      }
    }

  private def referencedTypes(plan: LogicalPlan): Map[ExprId, DataType] =
    plan.collect { case node => node.expressions }.flatten
      .flatMap(_.collect { case column: AttributeReference => column.exprId -> column.dataType })
      .toMap

  private def isOtherCollation(found: DataType, expected: DataType): Boolean =
    found != expected &&
      CollatedTypes.withoutCollations(found) == CollatedTypes.withoutCollations(expected)
}
