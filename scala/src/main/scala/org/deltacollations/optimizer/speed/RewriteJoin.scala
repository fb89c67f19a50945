// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.speed

import org.apache.spark.sql.catalyst.expressions.{
  CollationKey,
  Equality,
  Expression,
  InSubquery,
  NamedExpression,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, Join, LogicalPlan, Project}

import org.deltacollations.config.{BooleanConf, CollationsConf}
import org.deltacollations.expressions.SortKey

/**
 * Makes joins, `IN` and `EXISTS` compare sort keys that are computed once per row. Spark compares
 * collation keys too, but computes them in every comparison of the sort below a join.
 */
object RewriteJoin extends SortKeyRewrite {

  override protected def conf: BooleanConf = CollationsConf.SpeedJoin

  override protected def rewritten: PartialFunction[LogicalPlan, LogicalPlan] = {
    case join @ Join(_, _, _, Some(condition), _) if hasCollationKey(condition) =>
      keyed(join, SortKeyExpressions.replaceCollationKeys(condition))
    case filter: Filter if comparesCollationKeys(filter) => keyed(filter)
    case node if comparesCollationKeys(node) =>
      node.transformExpressions { case query: SubqueryExpression =>
        query.mapChildren(SortKeyExpressions.replaceCollationKeys)
      }
        .transformExpressions { case in: InSubquery => replaceCollationKeys(in) }
  }

  private def keyed(join: Join, condition: Expression): LogicalPlan = {
    val left = SortKeyProjection.ofKeys(sides(condition).filter(isOf(join.left)))
    val right = SortKeyProjection.ofKeys(sides(condition).filter(isOf(join.right)))
    val compared = join.copy(
      left = left.below(join.left),
      right = right.below(join.right),
      condition = Some(right.within(left.within(condition)))
    )
    if (left.isEmpty && right.isEmpty) compared else Project(join.output, compared)
  }

  /** Spark turns `IN` and `EXISTS` into joins only later, and only in filters. */
  private def keyed(filter: Filter): LogicalPlan = {
    val condition = filter.condition.transform { case in: InSubquery => replaceCollationKeys(in) }.transform {
      case query: SubqueryExpression =>
        val conditions = query.mapChildren(SortKeyExpressions.replaceCollationKeys)
        val inner =
          SortKeyProjection.ofKeys(conditions.children.flatMap(sides).filter(isOf(query.plan)))
        query.withNewPlan(inner.belowQuery(query.plan)).withNewChildren(
          conditions.children.map(inner.within)
        )
    }
    val outer = SortKeyProjection.ofKeys(condition.collect {
      case InSubquery(values, _) => values.filter(hasSortKey)
      case query: SubqueryExpression => query.children.flatMap(sides)
    }.flatten.filter(isOf(filter.child)))
    val compared = Filter(outer.within(condition), outer.below(filter.child))
    if (outer.isEmpty) compared else Project(filter.output, compared)
  }

  /** Both sides of an `IN`: the correctness rules have put collation keys into the subquery's output. */
  private def replaceCollationKeys(in: InSubquery): InSubquery = in.query.plan match {
    case Project(columns, child) =>
      val keys = columns.map(SortKeyExpressions.replaceCollationKeys(_).asInstanceOf[NamedExpression])
      InSubquery(
        in.values.map(SortKeyExpressions.replaceCollationKeys),
        in.query.withNewPlan(Project(keys, child))
      )
    case _ => in.copy(values = in.values.map(SortKeyExpressions.replaceCollationKeys))
  }

  private def comparesCollationKeys(node: LogicalPlan): Boolean = node.expressions.exists(_.exists {
    case InSubquery(values, _) => values.exists(hasCollationKey)
    case query: SubqueryExpression => query.children.exists(hasCollationKey)
    case _ => false
  })

  /** The sides of equalities that contain sort keys, as a whole: structs are compared as structs. */
  private def sides(condition: Expression): Seq[Expression] =
    condition.collect { case Equality(left, right) => Seq(left, right).filter(hasSortKey) }.flatten

  private def hasCollationKey(value: Expression): Boolean = value.exists {
    case CollationKey(text) => SortKeyExpressions.ofText(text).nonEmpty
    case _ => false
  }

  private def hasSortKey(side: Expression): Boolean = side.exists(_.isInstanceOf[SortKey])

  private def isOf(side: LogicalPlan)(key: Expression): Boolean =
    key.references.nonEmpty && key.references.subsetOf(side.outputSet)
}
