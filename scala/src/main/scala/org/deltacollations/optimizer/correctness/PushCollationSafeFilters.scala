// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.correctness

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  And,
  Attribute,
  AttributeMap,
  AttributeSet,
  BinaryComparison,
  CollationKey,
  Expression,
  In,
  InSet,
  IsNotNull,
  IsNull,
  NamedExpression,
  Not,
  Or,
  PredicateHelper,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Filter, LogicalPlan, Window}
import org.apache.spark.sql.catalyst.rules.Rule

import org.deltacollations.collation.CollatedTypes
import org.deltacollations.optimizer.ArbitraryGroupValue

/**
 * Pushes filters that are true for all or for none of the rows of a group, like `c = 'a'`, below
 * aggregates and windows. [[BlockAggregatePushdown]] and [[WindowByCollationKey]] keep Spark from
 * doing so.
 */
object PushCollationSafeFilters extends Rule[LogicalPlan] with PredicateHelper {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transform {
    case filter @ Filter(_, window: Window)
        if window.partitionSpec.exists(_.exists(_.isInstanceOf[CollationKey])) =>
      val keys = AttributeSet(window.partitionSpec.flatMap(_.references)).toSeq
      push(filter, AttributeMap(keys.map(key => key -> key)))
    case filter @ Filter(_, aggregate: Aggregate)
        if aggregate.aggregateExpressions.exists(_.exists(_.isInstanceOf[ArbitraryGroupValue])) =>
      push(filter, AttributeMap(aggregate.aggregateExpressions.flatMap(groupingColumn)))
  }

  /**
   * Pushes the safe predicates of a filter below its child.
   *
   * @param keys
   *   maps a key in the output of the filter's child to the same key in the input of that child
   */
  private def push(filter: Filter, keys: AttributeMap[Attribute]): LogicalPlan = {
    val (pushDown, stayUp) = splitConjunctivePredicates(filter.condition).partition { predicate =>
      predicate.deterministic && predicate.references.nonEmpty &&
      predicate.references.forall(keys.contains) &&
      !SubqueryExpression.hasSubquery(predicate) && isSameForEqualValues(predicate)
    }
    if (pushDown.isEmpty) filter
    else {
      val condition = pushDown.reduceLeft(And(_, _)).transform { case key: Attribute => keys(key) }
      val pushed = filter.child.mapChildren(Filter(condition, _))
      if (stayUp.isEmpty) pushed else Filter(stayUp.reduceLeft(And(_, _)), pushed)
    }
  }

  private def groupingColumn(column: NamedExpression): Option[(Attribute, Attribute)] =
    column match {
      case Alias(ArbitraryGroupValue(key: Attribute), _) => Some(column.toAttribute -> key)
      case Alias(key: Attribute, _) => Some(column.toAttribute -> key)
      case key: Attribute => Some(key -> key)
      case _ => None
    }

  /** Returns whether a condition has the same result for all equal values. */
  private def isSameForEqualValues(condition: Expression): Boolean = condition match {
    case And(_, _) | Or(_, _) | Not(_) => condition.children.forall(isSameForEqualValues)
    case comparison: BinaryComparison => comparison.children.forall(isColumnOrBinaryStable)
    case In(value, list) => isColumnOrBinaryStable(value) && list.forall(isColumnOrBinaryStable)
    case InSet(value, _) => isColumnOrBinaryStable(value)
    case IsNull(value) => isColumnOrBinaryStable(value)
    case IsNotNull(value) => isColumnOrBinaryStable(value)
    case other => hasOnlyBinaryStableInputs(other)
  }

  private def hasOnlyBinaryStableInputs(expression: Expression): Boolean =
    expression.references.forall(column => CollatedTypes.isBinaryStable(column.dataType))

  /**
   * Comparisons use the collation of a column, but functions like `hex` of it depend on its bytes.
   */
  private def isColumnOrBinaryStable(operand: Expression): Boolean = operand match {
    case _: Attribute => true
    case other => hasOnlyBinaryStableInputs(other)
  }
}
