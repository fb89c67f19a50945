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
 * Moves filters below groups and windows that [[BlockAggregatePushdown]] and [[WindowByCollationKey]] hide from Spark: those
 * that are true of a whole group or of none of it, like `c = 'a'`.
 */
object PushCollationSafeFilters extends Rule[LogicalPlan] with PredicateHelper {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transform {
    case filter @ Filter(_, window: Window)
        if window.partitionSpec.exists(_.exists(_.isInstanceOf[CollationKey])) =>
      val keys = AttributeSet(window.partitionSpec.flatMap(_.references)).toSeq
      moved(filter, AttributeMap(keys.map(key => key -> key)))
    case filter @ Filter(_, group: Aggregate) if group.aggregateExpressions.exists(isChosen) =>
      moved(filter, AttributeMap(group.aggregateExpressions.flatMap(shownKey)))
  }

  /** @param keys what the node below the filter has for a key, and the key below that node */
  private def moved(filter: Filter, keys: AttributeMap[Attribute]): LogicalPlan = {
    val (down, up) = splitConjunctivePredicates(filter.condition).partition { part =>
      part.deterministic && part.references.nonEmpty && part.references.forall(keys.contains) &&
      !SubqueryExpression.hasSubquery(part) && holdsForEquals(part)
    }
    if (down.isEmpty) filter
    else {
      val below = down.reduceLeft(And(_, _)).transform { case shown: Attribute => keys(shown) }
      val pushed = filter.child.mapChildren(Filter(below, _))
      if (up.isEmpty) pushed else Filter(up.reduceLeft(And(_, _)), pushed)
    }
  }

  private def shownKey(column: NamedExpression): Option[(Attribute, Attribute)] = column match {
    case Alias(ArbitraryGroupValue(key: Attribute), _) => Some(column.toAttribute -> key)
    case Alias(key: Attribute, _) => Some(column.toAttribute -> key)
    case key: Attribute => Some(key -> key)
    case _ => None
  }

  private def isChosen(column: Expression): Boolean =
    column.exists(_.isInstanceOf[ArbitraryGroupValue])

  /** Whether a condition has the same answer for all values that are equal. */
  private def holdsForEquals(condition: Expression): Boolean = condition match {
    case And(_, _) | Or(_, _) | Not(_) => condition.children.forall(holdsForEquals)
    case comparison: BinaryComparison => comparison.children.forall(isPlain)
    case In(value, list) => isPlain(value) && list.forall(isPlain)
    case InSet(value, _) => isPlain(value)
    case IsNull(value) => isPlain(value)
    case IsNotNull(value) => isPlain(value)
    case other => hasOnlyBinaryStableInputs(other)
  }

  private def hasOnlyBinaryStableInputs(expression: Expression): Boolean =
    expression.references.forall(column => CollatedTypes.isBinaryStable(column.dataType))

  private def isPlain(side: Expression): Boolean = side match {
    case _: Attribute => true
    case other => hasOnlyBinaryStableInputs(other)
  }
}
