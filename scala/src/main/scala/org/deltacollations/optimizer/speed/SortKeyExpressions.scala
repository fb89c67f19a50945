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

/** Builds expressions that replace collated values where Spark compares values. */
object SortKeyExpressions {

  /**
   * Returns whether a sort key can replace the value, or a collation key inside it. Constants need
   * no sort key, because rows do not differ in them.
   */
  def isReplaceable(value: Expression): Boolean =
    !value.foldable &&
      (!CollatedTypes.isBinaryStable(value.dataType) || value.exists(_.isInstanceOf[CollationKey]))

  /**
   * Returns an expression with the order and the equality of `value`, but with sort keys instead of
   * collated strings, also inside structs and arrays. Returns `None` for collations whose keys
   * contradict their comparator.
   */
  def of(value: Expression): Option[Expression] = {
    val keys = replaceCollationKeys(
      CollationKeyInjection(value)(string => sortKey(string).getOrElse(string))
    )
    val isComplete =
      CollatedTypes.isBinaryStable(keys.dataType) && !keys.exists(_.isInstanceOf[CollationKey])
    Option.when(isComplete)(keys)
  }

  /**
   * Replaces Spark's collation keys by sort keys, where these are known to agree with the
   * comparator. Folds sort keys of constants, as Spark does with its own keys.
   */
  def replaceCollationKeys(expression: Expression): Expression =
    foldConstants(expression.transform {
      case key @ CollationKey(string) => sortKey(string).getOrElse(key)
    })

  /** Returns the sort key of a collated string; `None` for other types. */
  def sortKey(string: Expression): Option[SortKey] =
    sortKeysFor(string).map(SortKey(string, _))

  private def foldConstants(expression: Expression): Expression = expression.transformDown {
    case constant if constant.foldable && constant.exists(_.isInstanceOf[SortKey]) =>
      Literal.create(constant.eval(), constant.dataType)
  }

  /** Returns the sort keys of a collated string, if they are known to agree with its comparator. */
  def sortKeysFor(value: Expression): Option[SparkSortKeys] = value.dataType match {
    case CollatedString(string) =>
      val keys = SparkSortKeys(CollatedString.nameOf(string))
      Option.when(keys.agreesWithComparator)(keys)
    case _ => None
  }
}

/** Computes sort keys once per row, in a projection below the node that compares them. */
final class SortKeyProjection private (keys: Seq[(Expression, Alias)]) {

  def isEmpty: Boolean = keys.isEmpty

  /**
   * Adds a column for each key to `child`. The keys come first, because Spark compares rows by
   * them, and the beginning of a row is most likely in the CPU cache.
   */
  def below(child: LogicalPlan): LogicalPlan =
    if (isEmpty) child else Project(columns ++ child.output, child)

  /** Adds the keys as the last columns, for a subquery whose columns are identified by position. */
  def belowQuery(query: LogicalPlan): LogicalPlan =
    if (isEmpty) query else Project(query.output ++ columns, query)

  private def columns: Seq[Alias] = keys.map(_._2)

  /** Returns the column with the key of `value`, or `value` itself if it has no key. */
  def apply(value: Expression): Expression =
    keys.collectFirst { case (source, key) if source.semanticEquals(value) => key.toAttribute }
      .getOrElse(value)

  def apply(order: SortOrder): SortOrder =
    order.copy(child = apply(order.child), sameOrderExpressions = Nil)

  /** Replaces all values inside `expression` that have a key. */
  def replaceIn(expression: Expression): Expression = expression.transformDown {
    case value => apply(value)
  }
}

object SortKeyProjection {

  /** Creates keys for the collated ones of `values`; returns `None` if one of them has no key. */
  def of(values: Seq[Expression]): Option[SortKeyProjection] = {
    val collated = distinct(values.filter(SortKeyExpressions.isReplaceable))
    val keys = collated.flatMap(SortKeyExpressions.of)
    Option.when(keys.size == collated.size)(create(collated.zip(keys)))
  }

  /** Creates columns for expressions that are keys already. */
  def ofKeys(keys: Seq[Expression]): SortKeyProjection = {
    val distinctKeys = distinct(keys)
    create(distinctKeys.zip(distinctKeys))
  }

  private def create(keys: Seq[(Expression, Expression)]): SortKeyProjection =
    new SortKeyProjection(keys.map { case (value, key) => value -> Alias(key, "key")() })

  private def distinct(values: Seq[Expression]): Seq[Expression] =
    values.foldLeft(Seq.empty[Expression]) { (found, value) =>
      if (found.exists(_.semanticEquals(value))) found else found :+ value
    }
}
