// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.speed

import org.apache.spark.sql.catalyst.expressions.Contains
import org.apache.spark.sql.catalyst.expressions.EndsWith
import org.apache.spark.sql.catalyst.expressions.EqualNullSafe
import org.apache.spark.sql.catalyst.expressions.EqualTo
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.GreaterThan
import org.apache.spark.sql.catalyst.expressions.GreaterThanOrEqual
import org.apache.spark.sql.catalyst.expressions.In
import org.apache.spark.sql.catalyst.expressions.InSet
import org.apache.spark.sql.catalyst.expressions.LessThan
import org.apache.spark.sql.catalyst.expressions.LessThanOrEqual
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.expressions.StartsWith
import org.apache.spark.sql.catalyst.expressions.StringInstr
import org.apache.spark.sql.catalyst.expressions.StringLocate
import org.apache.spark.sql.catalyst.expressions.StringReplace
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.aggregate.Complete
import org.apache.spark.sql.catalyst.expressions.aggregate.Partial
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.FilterExec
import org.apache.spark.sql.execution.ProjectExec
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.joins.BaseJoinExec
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.CollatedString
import org.deltacollations.collation.SparkSearch
import org.deltacollations.config.CollationsConf
import org.deltacollations.expressions.CollatedComparison
import org.deltacollations.expressions.CollatedIn
import org.deltacollations.expressions.CollatedLocate
import org.deltacollations.expressions.CollatedReplace
import org.deltacollations.expressions.CollatedStringPredicate
import org.deltacollations.expressions.ComparisonOperator
import org.deltacollations.expressions.MatchPosition

/**
 * Comparisons and searches of collated strings give way to faster ones with the same answer.
 *
 * It runs on plans that are ready to run, because what comes before looks at the expressions: Delta
 * to find files to skip, Spark to move filters. Those of scans stay as they are for the same reason.
 */
object RewriteExpressions extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan =
    if (!CollationsConf.SpeedEnabled.isOn || !CollationsConf.FilterSpeed.isOn) plan
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
