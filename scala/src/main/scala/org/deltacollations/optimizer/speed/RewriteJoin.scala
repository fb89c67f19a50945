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
 * Makes joins, `IN` and `EXISTS` compare sort keys that are computed once per row. Replaces
 * collation keys, which Spark or the correctness rules have created, and which Spark computes again
 * in every comparison of the sort below a join.
 */
object RewriteJoin extends SortKeyRewrite {

  override protected def setting: BooleanConf = CollationsConf.SpeedJoin

  override protected def rewrite: PartialFunction[LogicalPlan, LogicalPlan] = {
    case join @ Join(_, _, _, Some(condition), _) if hasCollationKey(condition) =>
      withSortKeyColumns(join, SortKeyExpressions.replaceCollationKeys(condition))
    case filter: Filter if comparesCollationKeys(filter) => withSortKeyColumns(filter)
    case node if comparesCollationKeys(node) =>
      node.transformExpressions { case query: SubqueryExpression =>
        query.mapChildren(SortKeyExpressions.replaceCollationKeys)
      }
        .transformExpressions { case in: InSubquery => replaceCollationKeys(in) }
  }

  private def withSortKeyColumns(join: Join, condition: Expression): LogicalPlan = {
    val left = SortKeyProjection.ofKeys(sides(condition).filter(isComputedFrom(join.left)))
    val right = SortKeyProjection.ofKeys(sides(condition).filter(isComputedFrom(join.right)))
    val rewritten = join.copy(
      left = left.below(join.left),
      right = right.below(join.right),
      condition = Some(right.replaceIn(left.replaceIn(condition)))
    )
    if (left.isEmpty && right.isEmpty) rewritten else Project(join.output, rewritten)
  }

  /** Spark turns `IN` and `EXISTS` of filters into joins, but only after this rule. */
  private def withSortKeyColumns(filter: Filter): LogicalPlan = {
    val withSortKeys = filter.condition.transform { case in: InSubquery =>
      replaceCollationKeys(in)
    }
    val condition = withSortKeys.transform {
      case query: SubqueryExpression =>
        val conditions = query.mapChildren(SortKeyExpressions.replaceCollationKeys)
        val inner = SortKeyProjection.ofKeys(
          conditions.children.flatMap(sides).filter(isComputedFrom(query.plan))
        )
        query.withNewPlan(inner.belowQuery(query.plan)).withNewChildren(
          conditions.children.map(inner.replaceIn)
        )
    }
    val outer = SortKeyProjection.ofKeys(condition.collect {
      case InSubquery(values, _) => values.filter(hasSortKey)
      case query: SubqueryExpression => query.children.flatMap(sides)
    }.flatten.filter(isComputedFrom(filter.child)))
    val rewritten = Filter(outer.replaceIn(condition), outer.below(filter.child))
    if (outer.isEmpty) rewritten else Project(filter.output, rewritten)
  }

  /** Replaces both sides of an `IN`: the output of the subquery contains collation keys too. */
  private def replaceCollationKeys(in: InSubquery): InSubquery = in.query.plan match {
    case Project(columns, child) =>
      val keys =
        columns.map(SortKeyExpressions.replaceCollationKeys(_).asInstanceOf[NamedExpression])
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

  /** Returns the sides of equalities that contain sort keys. A struct of keys counts as a whole. */
  private def sides(condition: Expression): Seq[Expression] =
    condition.collect { case Equality(left, right) => Seq(left, right).filter(hasSortKey) }.flatten

  private def hasCollationKey(value: Expression): Boolean = value.exists {
    case CollationKey(string) => SortKeyExpressions.sortKeysFor(string).nonEmpty
    case _ => false
  }

  private def hasSortKey(side: Expression): Boolean = side.exists(_.isInstanceOf[SortKey])

  private def isComputedFrom(child: LogicalPlan)(key: Expression): Boolean =
    key.references.nonEmpty && key.references.subsetOf(child.outputSet)
}
