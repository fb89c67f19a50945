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
 * Comparisons and searches of collated strings give way to faster ones with the same answer.
 *
 * It runs on plans that are ready to run, because what comes before looks at the expressions: Delta
 * to find files to skip, Spark to move filters. Those of scans stay as they are for the same reason.
 */
object RewriteExpressions extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan =
    if (!CollationsConf.SpeedEnabled.isEnabled || !CollationsConf.SpeedExpressions.isEnabled) plan
    else
      plan.transformUp {
        case node: FilterExec => node.transformExpressions(faster)
        case node: ProjectExec => node.transformExpressions(faster)
        case node: BaseJoinExec => node.mapExpressions(ofPairs(node))
        case node: BaseAggregateExec => node.transformExpressions(ofRows)
      }

  /** The condition alone: the keys of a join must be what its inputs are partitioned by. */
  private def ofPairs(join: BaseJoinExec)(expression: Expression): Expression =
    if (join.condition.exists(_ eq expression)) expression.transform(faster) else expression

  /** Functions that see rows; others see what those have made of them. */
  private val ofRows: PartialFunction[Expression, Expression] = {
    case function @ AggregateExpression(_, Partial | Complete, _, _, _)
        if function.exists(faster.isDefinedAt) =>
      function.transform(faster)
  }

  private lazy val faster: PartialFunction[Expression, Expression] = {
    case EqualTo(Collated(left), right) => compared(left, right, ComparisonOperator.Equal)
    case LessThan(Collated(left), right) => compared(left, right, ComparisonOperator.Less)
    case LessThanOrEqual(Collated(left), right) =>
      compared(left, right, ComparisonOperator.LessOrEqual)
    case GreaterThan(Collated(left), right) => compared(left, right, ComparisonOperator.Greater)
    case GreaterThanOrEqual(Collated(left), right) =>
      compared(left, right, ComparisonOperator.GreaterOrEqual)
    case EqualNullSafe(Collated(left), right) => EqualNullSafe(key(left), key(right))
    case In(Collated(value), list) if list.nonEmpty && list.forall(_.foldable) =>
      in(value, list.map(_.eval()))
    case InSet(Collated(value), set) => in(value, set.toSeq)
    case Contains(Searchable(text, search), part) =>
      CollatedStringPredicate(text, part, MatchPosition.Anywhere, search)
    case StartsWith(Searchable(text, search), part) =>
      CollatedStringPredicate(text, part, MatchPosition.Start, search)
    case EndsWith(Searchable(text, search), part) =>
      CollatedStringPredicate(text, part, MatchPosition.End, search)
    case StringInstr(Searchable(text, search), part) => CollatedLocate(text, part, 1, search)
    case StringLocate(part, Searchable(text, search), Literal(start: Int, _)) if start > 0 =>
      CollatedLocate(text, part, start, search)
    case StringReplace(Searchable(text, search), part, by) =>
      CollatedReplace(text, part, by, search)
  }

  private object Searchable {
    def unapply(text: Expression): Option[(Expression, SparkSearch)] = text.dataType match {
      case CollatedString(string) =>
        Some((text, SparkSearch(CollatedString.nameOf(string))))
      case _ => None
    }
  }

  private object Collated {
    def unapply(value: Expression): Option[Expression] =
      Option.when(SortKeyExpressions.ofText(value).nonEmpty)(value)
  }

  private def compared(left: Expression, right: Expression, test: ComparisonOperator): Expression =
    SortKeyExpressions.ofText(left).fold[Expression](left)(CollatedComparison(left, right, test, _))

  private def in(value: Expression, constants: Seq[Any]): Expression =
    SortKeyExpressions.ofText(value).fold[Expression](value)(keys =>
      CollatedIn(
        value,
        constants.collect { case constant: UTF8String => constant },
        hasNull = constants.contains(null),
        keys
      )
    )

  private def key(value: Expression): Expression = {
    val made = SortKeyExpressions.of(value).getOrElse(value)
    if (value.foldable) Literal.create(made.eval(), made.dataType) else made
  }
}
