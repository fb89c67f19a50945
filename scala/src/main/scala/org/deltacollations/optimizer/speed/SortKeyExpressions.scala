// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.speed

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  CollationKey,
  Expression,
  Literal,
  SortOrder
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}

import org.deltacollations.collation.{CollatedString, CollatedTypes, SparkSortKeys}
import org.deltacollations.expressions.SortKey
import org.deltacollations.optimizer.CollationKeyInjection

/** Values without collations that stand for collated ones where values are compared. */
object SortKeyExpressions {

  /**
   * Whether rows are compared by the value, and a sort key can take its place or that of a collation
   * key inside it. All rows have the same constant.
   */
  def isReplaceable(value: Expression): Boolean =
    !value.foldable && (!CollatedTypes.isBinaryStable(value.dataType) || value.exists(_.isInstanceOf[CollationKey]))

  /**
   * What compares as `value` does, and is equal exactly where it is; also for strings inside structs
   * and arrays. There is none for collations whose keys and comparator contradict each other.
   */
  def of(value: Expression): Option[Expression] = {
    val keyed =
      replaceCollationKeys(CollationKeyInjection(value)(text => sortKey(text).getOrElse(text)))
    val isComplete =
      CollatedTypes.isBinaryStable(keyed.dataType) && !keyed.exists(_.isInstanceOf[CollationKey])
    Option.when(isComplete)(keyed)
  }

  /**
   * The same expression with our keys in the place of Spark's, as far as ours are known to agree. Keys
   * of constants are constants, as Spark would make them of its own.
   */
  def replaceCollationKeys(expression: Expression): Expression = folded(expression.transform {
    case key @ CollationKey(text) => sortKey(text).getOrElse(key)
  })

  private def sortKey(text: Expression): Option[SortKey] = ofText(text).map(SortKey(text, _))

  private def folded(expression: Expression): Expression = expression.transformDown {
    case constant if constant.foldable && constant.exists(_.isInstanceOf[SortKey]) =>
      Literal.create(constant.eval(), constant.dataType)
  }

  /** The keys of a collated string, if they are known to agree with its comparator. */
  def ofText(text: Expression): Option[SparkSortKeys] = text.dataType match {
    case CollatedString(string) =>
      val keys = SparkSortKeys(CollatedString.nameOf(string))
      Option.when(keys.agreesWithComparator)(keys)
    case _ => None
  }
}

/** Keys that a node computes once for a row, and what they stand for. */
final class SortKeyProjection private (keys: Seq[(Expression, Alias)]) {

  def isEmpty: Boolean = keys.isEmpty

  /**
   * `child` with a column more for each key. They come first: rows are compared by them, and the
   * beginning of a row is what the processor has at hand.
   */
  def below(child: LogicalPlan): LogicalPlan =
    if (isEmpty) child else Project(columns ++ child.output, child)

  /** The same for a query whose columns are known by their places. */
  def belowQuery(query: LogicalPlan): LogicalPlan =
    if (isEmpty) query else Project(query.output ++ columns, query)

  private def columns: Seq[Alias] = keys.map(_._2)

  /** The column that stands for `value`, or `value`. */
  def apply(value: Expression): Expression =
    keys.collectFirst { case (known, key) if known.semanticEquals(value) => key.toAttribute }
      .getOrElse(value)

  def apply(order: SortOrder): SortOrder =
    order.copy(child = apply(order.child), sameOrderExpressions = Nil)

  def within(expression: Expression): Expression = expression.transformDown {
    case value => apply(value)
  }
}

object SortKeyProjection {

  /** For those of `values` that are collated; `None` if one of them has no key. */
  def of(values: Seq[Expression]): Option[SortKeyProjection] = {
    val loose = distinct(values.filter(SortKeyExpressions.isReplaceable))
    val keys = loose.flatMap(SortKeyExpressions.of)
    Option.when(keys.size == loose.size)(named(loose.zip(keys)))
  }

  /** For expressions that are keys already. */
  def ofKeys(keys: Seq[Expression]): SortKeyProjection = {
    val needed = distinct(keys)
    named(needed.zip(needed))
  }

  private def named(keys: Seq[(Expression, Expression)]): SortKeyProjection =
    new SortKeyProjection(keys.map { case (value, key) => value -> Alias(key, "key")() })

  private def distinct(values: Seq[Expression]): Seq[Expression] =
    values.foldLeft(Seq.empty[Expression]) { (kept, value) =>
      if (kept.exists(_.semanticEquals(value))) kept else kept :+ value
    }
}
