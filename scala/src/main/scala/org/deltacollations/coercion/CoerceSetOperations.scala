// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.coercion

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types.DataType

import org.deltacollations.collation.{CollatedTypes, CommonCollation}

/**
 * Casts `UTF8_BINARY` columns of `UNION`, `INTERSECT` and `EXCEPT` to the collation that the column has
 * in the other queries. Spark has no common type for them and rejects the operation after analysis.
 */
private[deltacollations] object CoerceSetOperations extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!MixedCollations.isEnabled) plan
    else plan.resolveOperatorsUpWithNewOutput {
      case union: Union if !union.byName && isRejected(union) => coerce(union)
      case operation: SetOperation if isRejected(operation) => coerce(operation)
    }

  private def isRejected(operation: LogicalPlan): Boolean =
    operation.childrenResolved && !operation.resolved &&
      operation.children.map(_.output.size).distinct.size == 1

  private def coerce(operation: LogicalPlan): (LogicalPlan, Seq[(Attribute, Attribute)]) = {
    val targets = operation.children.map(_.output.map(_.dataType)).transpose.map(targetsOf)
    val children = operation.children.map(cast(_, targets))
    if (children == operation.children) operation -> Nil
    else operation.withNewChildren(children) ->
      operation.children.head.output.zip(children.head.output)
  }

  /** Returns the type to cast each type of a column to. Other types are left to Spark. */
  private def targetsOf(types: Seq[DataType]): Map[DataType, DataType] =
    if (!types.exists(CollatedTypes.hasCollation)) Map.empty
    else CommonCollation.of(types.filter(CollatedTypes.strings(_).nonEmpty)).getOrElse(Map.empty)

  private def cast(child: LogicalPlan, targets: Seq[Map[DataType, DataType]]): LogicalPlan = {
    val columns = child.output.zip(targets).map { case (column, target) =>
      target.get(column.dataType).filter(_ != column.dataType)
        .fold(column: NamedExpression)(dataType =>
          Alias(ImplicitCast(column, dataType), column.name)()
        )
    }
    if (columns == child.output) child else Project(columns, child)
  }

}
