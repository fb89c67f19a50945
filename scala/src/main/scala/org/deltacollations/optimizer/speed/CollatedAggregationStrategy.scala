// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.speed

import org.apache.spark.SparkEnv
import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  Complete,
  Partial,
  PartialMerge
}
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeMap,
  ExprId,
  Expression,
  NamedExpression,
  PythonUDAF
}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.{SparkSession, classic}

import org.deltacollations.collation.CollatedTypes
import org.deltacollations.config.CollationsConf
import org.deltacollations.optimizer.GroupingKeys

/**
 * Groups collated values by their keys, which Spark can hash, and shows for each group the first of
 * its values, as Spark does; Spark itself sorts all rows to find the groups.
 *
 * The plan is the one Spark makes for such a query with plain strings. Between its nodes, numbers of
 * values that a task has seen are replaced by the values.
 */
final case class CollatedAggregationStrategy(session: SparkSession) extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case aggregate: Aggregate
        if GroupingKeys.collatedKeys(aggregate).nonEmpty && isOn &&
          isPlain(aggregate) =>
      keyed(aggregate).toSeq.flatMap { case (byKeys, output) =>
        planner.Aggregation(byKeys).map(withValuesBetweenStages).map { steps =>
          if (steps.output == output) steps else ProjectExec(output, steps)
        }
      }
    case _ => Nil
  }

  private def isOn: Boolean =
    CollationsConf.SpeedEnabled.isEnabled && CollationsConf.SpeedGroup.isEnabled && canSpill

  /** Streams, sessions and functions in Python are planned in other ways. */
  private def isPlain(aggregate: Aggregate): Boolean =
    !aggregate.isStreaming &&
      !aggregate.groupingExpressions.exists(GroupingKeys.isSessionWindow) &&
      !aggregate.aggregateExpressions.exists(_.exists(_.isInstanceOf[PythonUDAF]))

  /** What a task has seen may go to disk, and does so as it is. */
  private def canSpill: Boolean =
    !SparkEnv.get.conf.getBoolean("spark.io.encryption.enabled", defaultValue = false)

  private def planner = session.asInstanceOf[classic.SparkSession].sessionState.planner

  /** The same groups by keys, and the columns of `aggregate` as a projection of the result. */
  private def keyed(aggregate: Aggregate): Option[(Aggregate, Seq[NamedExpression])] = {
    val keys = aggregate.groupingExpressions.map(group =>
      if (CollatedTypes.isBinaryStable(group.dataType)) Some(group)
      else SortKeyExpressions.of(GroupingKeys.withoutAlias(group))
    )
    Option.when(keys.forall(_.nonEmpty)) {
      val loose = GroupingKeys.collatedKeys(aggregate).map(GroupingKeys.withoutAlias)
      val seen = loose.map(group => group.canonicalized -> firstSeen(group))
      val first = seen.toMap
      val shown = GroupingKeys.replaced(aggregate, loose, group => first(group.canonicalized))
      val byKeys = aggregate.copy(
        groupingExpressions = keys.flatten,
        aggregateExpressions =
          if (beginsWithSeen(shown.columns)) shown.columns
          else seen.map { case (_, first) => Alias(first, "first_value")() } ++ shown.columns
      )
      (byKeys, shown.output)
    }
  }

  private def firstSeen(group: Expression): AggregateExpression =
    AggregateExpression(FirstInGroup(group, new SpillableValueStore), Complete, isDistinct = false)

  /** Whether the functions of ours come first: Spark counts the buffers of the others from there. */
  private def beginsWithSeen(columns: Seq[NamedExpression]): Boolean = {
    val isSeen = columns.flatMap(_.collect { case function: AggregateExpression =>
      function.aggregateFunction.isInstanceOf[FirstInGroup]
    })
    !isSeen.dropWhile(identity).contains(true)
  }

  private def withValuesBetweenStages(plan: SparkPlan): SparkPlan = plan match {
    case aggregate: BaseAggregateExec => afterTheOneBelow(aggregate)
    case other => other
  }

  /** Of two nodes that aggregate one after the other, the second sees what the first has seen. */
  private def afterTheOneBelow(aggregate: BaseAggregateExec): SparkPlan = aggregate.child match {
    case below: BaseAggregateExec =>
      val earlier = afterTheOneBelow(below)
      val seen = bufferedBy(earlier)
      val columns = earlier.output.map(column =>
        seen.collectFirst { case BufferedValue(_, number, value) if number.semanticEquals(column) => value }
          .getOrElse(column)
      )
      val handedOver = if (seen.isEmpty) earlier else ProjectExec(columns, earlier)
      reading(seen, aggregate).withNewChildren(Seq(handedOver))
    case _ => aggregate
  }

  /** The value of a function in a row that an aggregating node puts out, and its number there. */
  private case class BufferedValue(function: ExprId, number: Attribute, value: Alias)

  private def bufferedBy(aggregate: SparkPlan): Seq[BufferedValue] = aggregate.expressions.collect {
    case AggregateExpression(first: FirstInGroup, _, _, _, id) =>
      val number = first.inputAggBufferAttributes.head
      BufferedValue(id, number, Alias(LoadValue(number, first.store, first.dataType), "first_value")())
  }

  /** The same node with functions that read values, and put out numbers of their own. */
  private def reading(seen: Seq[BufferedValue], aggregate: SparkPlan): SparkPlan = {
    val values = seen.map(earlier => earlier.function -> earlier.value.toAttribute).toMap
    val later = aggregate.expressions.collect {
      case AggregateExpression(first: FirstInGroup, _, _, _, id) =>
        (id, first, FirstInGroup(values(id), new SpillableValueStore))
    }
    val functions = later.map { case (id, _, function) => id -> function }.toMap
    val numbers = AttributeMap(later.map { case (_, old, function) =>
      old.inputAggBufferAttributes.head -> function.inputAggBufferAttributes.head
    })
    aggregate.transformExpressions {
      case function: AggregateExpression if functions.contains(function.resultId) =>
        val mode = if (function.mode == PartialMerge) Partial else Complete
        function.copy(aggregateFunction = functions(function.resultId), mode = mode)
      case number: Attribute if numbers.contains(number) => numbers(number)
    }
  }
}
