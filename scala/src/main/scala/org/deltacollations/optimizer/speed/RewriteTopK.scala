// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.speed

import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, IntegerLiteral, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical.{
  GlobalLimit,
  LocalLimit,
  LogicalPlan,
  Offset,
  Project,
  Sort
}

import org.deltacollations.config.{BooleanConf, CollationsConf}
import org.deltacollations.expressions.{SortKey, SortKeyPrefix}

/**
 * Makes `ORDER BY … LIMIT` compare a number first, which is computed once per row.
 *
 * Spark compares most rows only once, with the last of the top rows so far, so a sort key for every
 * row would cost more than it saves. Spark evaluates the expressions of this order only while rows
 * are equal in those before, so it computes sort keys for few rows.
 */
object RewriteTopK extends SortKeyRewrite {

  override protected def setting: BooleanConf = CollationsConf.SpeedSort

  /** The shapes that Spark plans as `TakeOrderedAndProject`. */
  override protected def rewrite: PartialFunction[LogicalPlan, LogicalPlan] = {
    case limit @ GlobalLimit(_, local: LocalLimit) => limit.copy(child = rewriteLimit(local))
    case limit @ GlobalLimit(_, offset @ Offset(_, local: LocalLimit)) =>
      limit.copy(child = offset.copy(child = rewriteLimit(local)))
  }

  private def rewriteLimit(limit: LocalLimit): LogicalPlan = limit match {
    case LocalLimit(IntegerLiteral(rows), sort: Sort) if isTopK(rows) =>
      rewriteSort(sort).fold(limit)(sorted => limit.copy(child = Project(sort.output, sorted)))
    case LocalLimit(IntegerLiteral(rows), project @ Project(_, sort: Sort)) if isTopK(rows) =>
      rewriteSort(sort).fold(limit)(sorted => limit.copy(child = project.copy(child = sorted)))
    case _ => limit
  }

  private def isTopK(rows: Int): Boolean = rows < conf.topKSortFallbackThreshold

  private def rewriteSort(sort: Sort): Option[Sort] =
    Option.when(sort.global && sort.order.exists(bySortKey(_).nonEmpty)) {
      val prefix = prefixOf(sort.order.head)
      val byPrefix = prefix.map(column => withChild(sort.order.head, column.toAttribute))
      sort.copy(
        order = byPrefix.toSeq ++ sort.order.map(order => bySortKey(order).getOrElse(order)),
        child = prefix.fold(sort.child)(column => Project(column +: sort.child.output, sort.child))
      )
    }

  private def prefixOf(order: SortOrder): Option[Alias] =
    bySortKey(order).map(_.child).collect { case SortKey(string, keys) =>
      Alias(SortKeyPrefix(string, keys), "prefix")()
    }

  /** Returns an order by the sort key of a string. Spark's own comparison is used for other types. */
  private def bySortKey(order: SortOrder): Option[SortOrder] =
    Option.when(!order.child.foldable && order.child.deterministic)(order.child)
      .flatMap(SortKeyExpressions.sortKey).map(withChild(order, _))

  private def withChild(order: SortOrder, child: Expression): SortOrder =
    order.copy(child = child, sameOrderExpressions = Nil)
}
