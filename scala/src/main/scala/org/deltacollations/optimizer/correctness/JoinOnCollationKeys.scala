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
 * Spark's bloom filters hash the bytes of a join's keys, so that rows with another spelling are lost.
 *
 * Spark compares two columns of a `JOIN … ON` by their collation keys, whose bytes are right. Here
 * the same is done for all other joins: of expressions, `FROM t, u WHERE …`, `IN`, `EXISTS`,
 * `INTERSECT`. It is the last moment before Spark makes joins of subqueries and looks at their keys.
 */
object JoinOnCollationKeys extends Rule[LogicalPlan] with PredicateHelper {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!CollationsConf.CorrectnessEnabled.isEnabled) plan
    else
      plan
        .transform { case join: Join => join.copy(condition = join.condition.map(byKeys)) }
        .transformAllExpressions {
          case exists: Exists => exists.copy(joinCond = exists.joinCond.map(byKeys))
          case InSubquery(values, query) =>
            val (left, right) = byKeys(values, query)
            InSubquery(left, right.copy(joinCond = right.joinCond.map(byKeys)))
        }

  private def byKeys(condition: Expression): Expression = {
    val parts = splitConjunctivePredicates(condition)
    val keyed = parts.map {
      case equality @ Equality(left, right)
          if !CollatedTypes.isBinaryStable(left.dataType) && left.references.nonEmpty &&
            right.references.nonEmpty =>
        equality.withNewChildren(Seq(left, right).map(key))
      case other => other
    }
    if (keyed == parts) condition else keyed.reduceLeft(And(_, _))
  }

  private def key(side: Expression): Expression = side match {
    case OptimizationBarrier(value) => key(value)
    case ArbitraryGroupValue(value) => key(value)
    case value => CollationKeyInjection(value)(CollationKey(_))
  }

  /** Both sides of an `IN`; the columns that a query is correlated by come after its values. */
  private def byKeys(
      values: Seq[Expression],
      query: ListQuery
  ): (Seq[Expression], ListQuery) =
    if (values.forall(value => CollatedTypes.isBinaryStable(value.dataType))) (values, query)
    else {
      val (compared, others) = query.plan.output.splitAt(query.numCols)
      val keys = compared.map { column =>
        if (CollatedTypes.isBinaryStable(column.dataType)) column
        else Alias(key(column), column.name)()
      }
      val correlated = AttributeSet(query.joinCond)
      val kept =
        others ++ compared.filter(column =>
          !CollatedTypes.isBinaryStable(column.dataType) && correlated.contains(column)
        )
      (values.map(key), query.copy(plan = Project(keys ++ kept, query.plan)))
    }
}
