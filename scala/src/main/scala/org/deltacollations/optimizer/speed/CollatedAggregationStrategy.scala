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
 * Plans `GROUP BY` on collated values as a hash aggregation by their sort keys. Spark cannot hash
 * collated values and sorts all rows instead. Like Spark, the aggregation shows the first value of
 * each group.
 *
 * The plan is the one that Spark makes for the same query on `UTF8_BINARY` strings.
 * [[FirstInGroup]] buffers ids of values that are valid only within a task. So between two
 * aggregation stages a projection replaces the ids by the values.
 */
final case class CollatedAggregationStrategy(session: SparkSession) extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case aggregate: Aggregate
        if GroupingKeys.collatedKeys(aggregate).nonEmpty && isEnabled && isSupported(aggregate) =>
      groupedBySortKeys(aggregate).toSeq.flatMap { case (grouped, output) =>
        planner.Aggregation(grouped).map(withValuesBetweenStages).map { stages =>
          if (stages.output == output) stages else ProjectExec(output, stages)
        }
      }
    case _ => Nil
  }

  private def isEnabled: Boolean =
    CollationsConf.SpeedEnabled.isEnabled && CollationsConf.SpeedGroup.isEnabled && canSpill

  /** Spark plans streams, session windows and Python functions differently. */
  private def isSupported(aggregate: Aggregate): Boolean =
    !aggregate.isStreaming &&
      !aggregate.groupingExpressions.exists(GroupingKeys.isSessionWindow) &&
      !aggregate.aggregateExpressions.exists(_.exists(_.isInstanceOf[PythonUDAF]))

  /** [[SpillableValueStore]] spills values without encryption. */
  private def canSpill: Boolean =
    !SparkEnv.get.conf.getBoolean("spark.io.encryption.enabled", defaultValue = false)

  private def planner = session.asInstanceOf[classic.SparkSession].sessionState.planner

  /**
   * Returns an aggregate that groups by sort keys, and a projection of its result that has the
   * output of `aggregate`; `None` if a key has no sort key.
   *
   * The correctness rules mark the values of keys by `ArbitraryGroupValue`. Keys without that mark
   * are replaced as well: they occur under `DISTINCT`, in aggregates that the optimizer has
   * created, and if those rules are disabled.
   */
  private def groupedBySortKeys(aggregate: Aggregate): Option[(Aggregate, Seq[NamedExpression])] = {
    val sortKeys = aggregate.groupingExpressions.map(key =>
      if (CollatedTypes.isBinaryStable(key.dataType)) Some(key)
      else SortKeyExpressions.of(GroupingKeys.withoutAlias(key))
    )
    Option.when(sortKeys.forall(_.nonEmpty)) {
      val keys = GroupingKeys.collatedKeys(aggregate).map(GroupingKeys.withoutAlias)
      val functions = keys.map(key => key.canonicalized -> firstInGroup(key))
      val functionOf = functions.toMap
      val replaced = GroupingKeys.replace(aggregate, keys, key => functionOf(key.canonicalized))
      val grouped = aggregate.copy(
        groupingExpressions = sortKeys.flatten,
        aggregateExpressions =
          if (startsWithFirstInGroup(replaced.columns)) replaced.columns
          else
            functions.map { case (_, first) => Alias(first, "first_value")() } ++ replaced.columns
      )
      (grouped, replaced.output)
    }
  }

  private def firstInGroup(key: Expression): AggregateExpression =
    AggregateExpression(FirstInGroup(key, new SpillableValueStore), Complete, isDistinct = false)

  /**
   * [[FirstInGroup]] must come before other functions, since Spark finds their buffers by position.
   */
  private def startsWithFirstInGroup(columns: Seq[NamedExpression]): Boolean = {
    val isFirstInGroup = columns.flatMap(_.collect { case function: AggregateExpression =>
      function.aggregateFunction.isInstanceOf[FirstInGroup]
    })
    !isFirstInGroup.dropWhile(identity).contains(true)
  }

  private def withValuesBetweenStages(plan: SparkPlan): SparkPlan = plan match {
    case aggregate: BaseAggregateExec => withValuesFromChild(aggregate)
    case other => other
  }

  /** If the child is an aggregation stage too, replaces the ids in its output by the values. */
  private def withValuesFromChild(aggregate: BaseAggregateExec): SparkPlan = aggregate.child match {
    case child: BaseAggregateExec =>
      val previous = withValuesFromChild(child)
      val buffered = bufferedBy(previous)
      val columns = previous.output.map(column =>
        buffered.collectFirst {
          case BufferedValue(_, id, value) if id.semanticEquals(column) => value
        }.getOrElse(column)
      )
      val withValues = if (buffered.isEmpty) previous else ProjectExec(columns, previous)
      readingValues(aggregate, buffered).withNewChildren(Seq(withValues))
    case _ => aggregate
  }

  /** The buffer of a function in the output of an aggregation stage, and the value for its id. */
  private case class BufferedValue(function: ExprId, id: Attribute, value: Alias)

  private def bufferedBy(aggregate: SparkPlan): Seq[BufferedValue] = aggregate.expressions.collect {
    case AggregateExpression(first: FirstInGroup, _, _, _, function) =>
      val id = first.inputAggBufferAttributes.head
      val value = LoadValue(id, first.store, first.dataType)
      BufferedValue(function, id, Alias(value, "first_value")())
  }

  /** Makes the functions of a stage read values instead of ids, and buffer ids of their own. */
  private def readingValues(aggregate: SparkPlan, buffered: Seq[BufferedValue]): SparkPlan = {
    val values = buffered.map(input => input.function -> input.value.toAttribute).toMap
    val replacements = aggregate.expressions.collect {
      case AggregateExpression(first: FirstInGroup, _, _, _, id) =>
        (id, first, FirstInGroup(values(id), new SpillableValueStore))
    }
    val functions = replacements.map { case (id, _, function) => id -> function }.toMap
    val buffers = AttributeMap(replacements.map { case (_, before, after) =>
      before.inputAggBufferAttributes.head -> after.inputAggBufferAttributes.head
    })
    aggregate.transformExpressions {
      case function: AggregateExpression if functions.contains(function.resultId) =>
        val mode = if (function.mode == PartialMerge) Partial else Complete
        function.copy(aggregateFunction = functions(function.resultId), mode = mode)
      case buffer: Attribute if buffers.contains(buffer) => buffers(buffer)
    }
  }
}
