// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.catalyst.speed

import org.apache.spark.sql.catalyst.expressions.{
  Equality,
  Expression,
  InSubquery,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, Join, LogicalPlan, Project}

import org.deltacollations.speed.SortKey
import org.deltacollations.{CollationsConf, Switch}

/**
 * Joins compare keys that were computed before. Spark itself compares keys in a join, but computes
 * them again in every comparison of the sort below it.
 */
object KeyedJoin extends KeyedPlan {

  override protected def switch: Switch = CollationsConf.JoinSpeed

  override def rewritten: PartialFunction[LogicalPlan, LogicalPlan] = {
    case join @ Join(_, _, _, Some(condition), _) if sides(Keys.quick(condition)).nonEmpty =>
      keyed(join, Keys.quick(condition))
    case filter: Filter if filter.condition.exists(isKeyedQuery) => keyed(filter)
  }

  private def keyed(join: Join, condition: Expression): LogicalPlan = {
    val left = ComputedKeys.ofKeys(sides(condition).filter(isOf(join.left)))
    val right = ComputedKeys.ofKeys(sides(condition).filter(isOf(join.right)))
    Project(
      join.output,
      join.copy(
        left = left.below(join.left),
        right = right.below(join.right),
        condition = Some(right.within(left.within(condition)))
      )
    )
  }

  /** Spark will make joins of `IN` and `EXISTS`, but of the filter that they are in. */
  private def keyed(filter: Filter): LogicalPlan = {
    val condition = filter.condition.transform { case query: SubqueryExpression =>
      val inner = ComputedKeys.ofKeys(query.children.flatMap(sides).filter(isOf(query.plan)))
      query.withNewPlan(inner.belowQuery(query.plan)).mapChildren(inner.within)
    }
    val outer = ComputedKeys.ofKeys(condition.collect {
      case InSubquery(values, _) => values.filter(hasKey)
      case query: SubqueryExpression => query.children.flatMap(sides)
    }.flatten.filter(isOf(filter.child)))
    Project(filter.output, Filter(outer.within(condition), outer.below(filter.child)))
  }

  private def isKeyedQuery(expression: Expression): Boolean = expression match {
    case InSubquery(values, _) => values.exists(hasKey)
    case query: SubqueryExpression => query.children.flatMap(sides).nonEmpty
    case _ => false
  }

  /** The sides of equalities that have keys in them, as a whole: structs are compared as structs. */
  private def sides(condition: Expression): Seq[Expression] =
    condition.collect { case Equality(left, right) => Seq(left, right).filter(hasKey) }.flatten

  private def hasKey(side: Expression): Boolean = side.exists(_.isInstanceOf[SortKey])

  private def isOf(side: LogicalPlan)(key: Expression): Boolean =
    key.references.nonEmpty && key.references.subsetOf(side.outputSet)
}
