// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.correctness

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  And,
  AttributeSet,
  CollationKey,
  Equality,
  Exists,
  Expression,
  InSubquery,
  ListQuery,
  PredicateHelper
}
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule

import org.deltacollations.collation.CollatedTypes
import org.deltacollations.config.CollationsConf
import org.deltacollations.optimizer.{ArbitraryGroupValue, CollationKeyInjection}

/**
 * Makes all joins compare collation keys. Spark's bloom filters hash the bytes of the join keys,
 * and so drop rows whose strings are equal but not byte-identical.
 *
 * Spark itself compares collation keys only for two columns of a `JOIN … ON`. This rule does the
 * same for all other joins: on expressions, `FROM t, u WHERE …`, `IN`, `EXISTS` and `INTERSECT`. It
 * runs as late as possible, just before Spark turns subqueries into joins and uses their keys.
 */
object JoinOnCollationKeys extends Rule[LogicalPlan] with PredicateHelper {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!CollationsConf.CorrectnessEnabled.isEnabled) plan
    else
      plan
        .transform { case join: Join => join.copy(condition = join.condition.map(onKeys)) }
        .transformAllExpressions {
          case exists: Exists => exists.copy(joinCond = exists.joinCond.map(onKeys))
          case InSubquery(values, query) =>
            val (left, right) = onKeys(values, query)
            InSubquery(left, right.copy(joinCond = right.joinCond.map(onKeys)))
        }

  private def onKeys(condition: Expression): Expression = {
    val predicates = splitConjunctivePredicates(condition)
    val rewritten = predicates.map {
      case equality @ Equality(left, right)
          if !CollatedTypes.isBinaryStable(left.dataType) && left.references.nonEmpty &&
            right.references.nonEmpty =>
        equality.withNewChildren(Seq(left, right).map(key))
      case other => other
    }
    if (rewritten == predicates) condition else rewritten.reduceLeft(And(_, _))
  }

  /** Removes barriers: Spark infers nothing from collation keys, so they need none. */
  private def key(side: Expression): Expression = side match {
    case OptimizationBarrier(value) => key(value)
    case ArbitraryGroupValue(value) => key(value)
    case value => CollationKeyInjection(value)(CollationKey(_))
  }

  /**
   * Rewrites both sides of an `IN`. The output of the query starts with the values to compare; the
   * columns by which it is correlated follow.
   */
  private def onKeys(
      values: Seq[Expression],
      query: ListQuery
  ): (Seq[Expression], ListQuery) =
    if (values.forall(value => CollatedTypes.isBinaryStable(value.dataType))) (values, query)
    else {
      val (compared, correlated) = query.plan.output.splitAt(query.numCols)
      val keys = compared.map { column =>
        if (CollatedTypes.isBinaryStable(column.dataType)) column
        else Alias(key(column), column.name)()
      }
      val conditionColumns = AttributeSet(query.joinCond)
      val comparedInCondition = compared.filter(column =>
        !CollatedTypes.isBinaryStable(column.dataType) && conditionColumns.contains(column)
      )
      val columns = keys ++ correlated ++ comparedInCondition
      (values.map(key), query.copy(plan = Project(columns, query.plan)))
    }
}
