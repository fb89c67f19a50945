// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer

import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  Expression,
  NamedExpression,
  SessionWindow,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.plans.logical.Aggregate

import org.deltacollations.collation.CollatedTypes

/** Finds and replaces the collated keys of a `GROUP BY`. */
object GroupingKeys {

  /** Returns the grouping expressions whose equal values can have different bytes. */
  def collatedKeys(aggregate: Aggregate): Seq[Expression] =
    aggregate.groupingExpressions.filter(key => !CollatedTypes.isBinaryStable(key.dataType))

  /**
   * The result columns of an aggregate with other values for its keys.
   *
   * @param columns
   *   the new aggregate expressions. A column that was the key itself has a new expression id,
   *   because an alias must not have the id of a column that it is computed from.
   * @param output
   *   the columns under the names and ids of the original aggregate, for a projection above the new
   *   one
   */
  final case class ReplacedKeys(columns: Seq[NamedExpression], output: Seq[NamedExpression])

  /** Replaces each of `keys` in the result columns of `aggregate` by `value(key)`. */
  def replace(
      aggregate: Aggregate,
      keys: Seq[Expression],
      value: Expression => Expression
  ): ReplacedKeys = {
    val groupingExpressions = aggregate.groupingExpressions.map(withoutAlias)

    def isKey(expression: Expression): Boolean = keys.exists(_.semanticEquals(expression))

    // Aggregate functions and other grouping expressions are computed from the input rows, so a key
    // inside them is not the value of the group.
    def replaceIn(expression: Expression): Expression = expression match {
      case function: AggregateExpression => function
      case ArbitraryGroupValue(key) if isKey(key) => value(key)
      case key if isKey(key) => value(key)
      case other if groupingExpressions.exists(_.semanticEquals(other)) => other
      case subquery: SubqueryExpression => subquery
      case other => other.mapChildren(replaceIn)
    }

    val columns = aggregate.aggregateExpressions.map {
      case key: Attribute if isKey(key) =>
        Alias(
          value(key),
          key.name
        )(qualifier = key.qualifier, explicitMetadata = Some(key.metadata))
      case column => replaceIn(column).asInstanceOf[NamedExpression]
    }
    val output = aggregate.output.zip(columns.map(_.toAttribute)).map { case (before, after) =>
      if (before.exprId == after.exprId) after
      else Alias(after, before.name)(before.exprId, before.qualifier, Some(before.metadata))
    }
    ReplacedKeys(columns, output)
  }

  def withoutAlias(key: Expression): Expression = key match {
    case Alias(value, _) => value
    case value => value
  }

  /** Returns whether `key` is the window of `GROUP BY session_window(…)`. */
  def isSessionWindow(key: Expression): Boolean = key match {
    case named: NamedExpression => named.metadata.contains(SessionWindow.marker)
    case _ => false
  }
}
