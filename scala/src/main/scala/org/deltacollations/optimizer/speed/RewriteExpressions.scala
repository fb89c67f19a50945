// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.speed

import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Complete, Partial}
import org.apache.spark.sql.catalyst.expressions.{
  Contains,
  EndsWith,
  EqualNullSafe,
  EqualTo,
  Expression,
  GreaterThan,
  GreaterThanOrEqual,
  In,
  InSet,
  LessThan,
  LessThanOrEqual,
  Literal,
  StartsWith,
  StringInstr,
  StringLocate,
  StringReplace
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.joins.BaseJoinExec
import org.apache.spark.sql.execution.{FilterExec, ProjectExec, SparkPlan}
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.{CollatedString, SparkSearch}
import org.deltacollations.config.CollationsConf
import org.deltacollations.expressions.{
  CollatedComparison,
  CollatedIn,
  CollatedLocate,
  CollatedReplace,
  CollatedStringPredicate,
  ComparisonOperator,
  MatchPosition
}

/**
 * Replaces comparisons and searches of collated strings by faster ones with the same result.
 *
 * Runs on physical plans, because earlier phases look for Spark's own expressions: Delta to skip
 * files, Spark to push filters down. The expressions of scans do not change for the same reason.
 */
object RewriteExpressions extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan =
    if (!CollationsConf.SpeedEnabled.isEnabled || !CollationsConf.SpeedExpressions.isEnabled) plan
    else
      plan.transformUp {
        case node: FilterExec => node.transformExpressions(replace)
        case node: ProjectExec => node.transformExpressions(replace)
        case node: BaseJoinExec => node.mapExpressions(replaceCondition(node))
        case node: BaseAggregateExec => node.transformExpressions(replaceInRowFunctions)
      }

  /** Replaces only the condition: the join keys must match the partitioning of the inputs. */
  private def replaceCondition(join: BaseJoinExec)(expression: Expression): Expression =
    if (join.condition.exists(_ eq expression)) expression.transform(replace) else expression

  /** Replaces only in functions that read input rows. The others read the buffers of these. */
  private val replaceInRowFunctions: PartialFunction[Expression, Expression] = {
    case function @ AggregateExpression(_, Partial | Complete, _, _, _)
        if function.exists(replace.isDefinedAt) =>
      function.transform(replace)
  }

  private lazy val replace: PartialFunction[Expression, Expression] = {
    case EqualTo(Collated(left), right) => compare(left, right, ComparisonOperator.Equal)
    case LessThan(Collated(left), right) => compare(left, right, ComparisonOperator.Less)
    case LessThanOrEqual(Collated(left), right) =>
      compare(left, right, ComparisonOperator.LessOrEqual)
    case GreaterThan(Collated(left), right) => compare(left, right, ComparisonOperator.Greater)
    case GreaterThanOrEqual(Collated(left), right) =>
      compare(left, right, ComparisonOperator.GreaterOrEqual)
    case EqualNullSafe(Collated(left), right) => EqualNullSafe(key(left), key(right))
    case In(Collated(value), list) if list.nonEmpty && list.forall(_.foldable) =>
      in(value, list.map(_.eval()))
    case InSet(Collated(value), set) => in(value, set.toSeq)
    case Contains(Searchable(string, search), pattern) =>
      CollatedStringPredicate(string, pattern, MatchPosition.Anywhere, search)
    case StartsWith(Searchable(string, search), pattern) =>
      CollatedStringPredicate(string, pattern, MatchPosition.Start, search)
    case EndsWith(Searchable(string, search), pattern) =>
      CollatedStringPredicate(string, pattern, MatchPosition.End, search)
    case StringInstr(Searchable(string, search), pattern) =>
      CollatedLocate(string, pattern, 1, search)
    case StringLocate(pattern, Searchable(string, search), Literal(start: Int, _)) if start > 0 =>
      CollatedLocate(string, pattern, start, search)
    case StringReplace(Searchable(string, search), pattern, replacement) =>
      CollatedReplace(string, pattern, replacement, search)
  }

  private object Searchable {
    def unapply(value: Expression): Option[(Expression, SparkSearch)] = value.dataType match {
      case CollatedString(string) =>
        Some((value, SparkSearch(CollatedString.nameOf(string))))
      case _ => None
    }
  }

  /** Matches a collated string with usable sort keys. */
  private object Collated {
    def unapply(value: Expression): Option[Expression] =
      Option.when(SortKeyExpressions.sortKeysFor(value).nonEmpty)(value)
  }

  private def compare(
      left: Expression,
      right: Expression,
      operator: ComparisonOperator
  ): Expression =
    SortKeyExpressions.sortKeysFor(left)
      .fold[Expression](left)(CollatedComparison(left, right, operator, _))

  private def in(value: Expression, constants: Seq[Any]): Expression =
    SortKeyExpressions.sortKeysFor(value).fold[Expression](value)(keys =>
      CollatedIn(
        value,
        constants.collect { case constant: UTF8String => constant },
        hasNull = constants.contains(null),
        keys
      )
    )

  private def key(value: Expression): Expression = {
    val sortKey = SortKeyExpressions.of(value).getOrElse(value)
    if (value.foldable) Literal.create(sortKey.eval(), sortKey.dataType) else sortKey
  }
}
