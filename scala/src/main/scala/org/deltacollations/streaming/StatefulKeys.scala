// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.streaming

import org.apache.spark.sql.catalyst.expressions.Literal.FalseLiteral
import org.apache.spark.sql.catalyst.expressions.aggregate.First
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  And,
  Attribute,
  CollationKey,
  EqualTo,
  Expression,
  IsNull,
  NamedExpression,
  PredicateHelper
}
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  Deduplicate,
  DeduplicateWithinWatermark,
  Join,
  LogicalPlan,
  Project
}
import org.apache.spark.sql.catalyst.rules.Rule

import org.deltacollations.collation.CollatedTypes
import org.deltacollations.config.CollationsConf
import org.deltacollations.expressions.SortKey
import org.deltacollations.optimizer.GroupingKeys
import org.deltacollations.optimizer.speed.SortKeyExpressions

/**
 * Makes the stateful operators of streams use sort keys instead of collated strings. Spark finds the
 * state of a key by its bytes, and so rejects collated keys.
 *
 * Aggregations keep the first value of each group next to the key, as batch queries do.
 * `dropDuplicates` returns the first row with a key and keeps only the key. Joins use collation keys in
 * stock Spark too; sort keys have the same bytes. [[StateKeyVersions]] records the version of the keys.
 *
 * If the sort keys of a collation disagree with its comparator, the strings stay, and Spark rejects
 * them.
 */
object StatefulKeys extends Rule[LogicalPlan] with PredicateHelper {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.isStreaming || !CollationsConf.StreamingEnabled.isEnabled) plan
    else
      plan.transformUp {
        case node @ Deduplicate(columns, child) if child.isStreaming =>
          deduplicated(node, columns, child)(Deduplicate(_, _))
        case node @ DeduplicateWithinWatermark(columns, child) if child.isStreaming =>
          deduplicated(node, columns, child)(DeduplicateWithinWatermark(_, _))
        case aggregate: Aggregate if aggregate.isStreaming => aggregated(aggregate)
        case join @ Join(left, right, _, Some(condition), _)
            if left.isStreaming && right.isStreaming &&
              condition.exists(_.isInstanceOf[CollationKey]) =>
          join.copy(condition = Some(joinedByKeys(condition)))
      }

  /**
   * Spark compares the bytes of join keys, for which two NULLs are the same. It relies on filters that
   * it infers from the condition, and infers none from a collation key. With `IsNotNull`, Spark would
   * take the column for not nullable, and fail on state with NULLs that was written without this rule.
   */
  private def joinedByKeys(condition: Expression): Expression =
    splitConjunctivePredicates(SortKeyExpressions.replaceCollationKeys(condition)).flatMap {
      case equality @ EqualTo(left, _) if left.exists(isKey) =>
        Seq(equality, EqualTo(IsNull(left), FalseLiteral))
      case other => Seq(other)
    }.reduce(And(_, _))

  private def isKey(expression: Expression): Boolean =
    expression.isInstanceOf[SortKey] || expression.isInstanceOf[CollationKey]

  private def deduplicated(node: LogicalPlan, columns: Seq[Attribute], child: LogicalPlan)(
      copy: (Seq[Attribute], LogicalPlan) => LogicalPlan
  ): LogicalPlan = sortKeys(columns).fold(node) { keys =>
    val keyColumns = columns.map(column => keyOf(column, keys).fold(column)(_.toAttribute))
    Project(node.output, copy(keyColumns, Project(keys.map(_._2) ++ child.output, child)))
  }

  /** Rows of the state come before new rows of their group, so the first value never changes. */
  private def aggregated(aggregate: Aggregate): LogicalPlan =
    sortKeys(aggregate.groupingExpressions).fold[LogicalPlan](aggregate) { keys =>
      val replaced = GroupingKeys.replace(
        aggregate,
        keys.map(_._1),
        First(_, ignoreNulls = false).toAggregateExpression()
      )
      Project(
        replaced.output,
        aggregate.copy(
          groupingExpressions = aggregate.groupingExpressions.map(key =>
            keyOf(key, keys).fold(key)(_.toAttribute)
          ),
          aggregateExpressions = replaced.columns,
          child = Project(keys.map(_._2) ++ aggregate.child.output, aggregate.child)
        )
      )
    }

  /** Returns the collated values with their key columns, if there are any and all have sort keys. */
  private def sortKeys(values: Seq[Expression]): Option[Seq[(Expression, Alias)]] = {
    val collated = values.map(GroupingKeys.withoutAlias)
      .filterNot(value => CollatedTypes.isBinaryStable(value.dataType))
    val keys = collated.flatMap(value => SortKeyExpressions.of(value).map(value -> alias(value, _)))
    Option.when(keys.nonEmpty && keys.size == collated.size)(keys)
  }

  private def alias(value: Expression, key: Expression): Alias = value match {
    case named: NamedExpression => Alias(key, named.name)()
    case _ => Alias(key, "key")()
  }

  private def keyOf(value: Expression, keys: Seq[(Expression, Alias)]): Option[Alias] =
    keys.collectFirst {
      case (collated, key) if collated.semanticEquals(GroupingKeys.withoutAlias(value)) => key
    }
}
