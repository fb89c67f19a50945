// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.functions

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.analysis.MultiInstanceRelation
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{
  LeafNode,
  LocalRelation,
  LogicalPlan,
  Statistics
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.types.StructType

/**
 * A few rows that are made when a query is run. A client of Spark Connect has a query analyzed many
 * times, and each would go through the log of a table if the rows were made then.
 */
final case class DeferredRelation(function: String, output: Seq[Attribute], made: () => Seq[Row])
    extends LeafNode
    with MultiInstanceRelation {

  override def newInstance(): LogicalPlan = copy(output = output.map(_.newInstance()))

  /** A guess: there are a few rows for each column of a table. */
  override def computeStats(): Statistics = Statistics(sizeInBytes = 1 << 16)

  override protected def stringArgs: Iterator[Any] = Iterator(function, output)

  def rows: LocalRelation = {
    val schema = DataTypeUtils.fromAttributes(output)
    val converter = CatalystTypeConverters.createToCatalystConverter(schema)
    LocalRelation(output, made().map(converter(_).asInstanceOf[InternalRow]))
  }
}

object DeferredRelation {

  def apply(function: String, schema: StructType)(made: => Seq[Row]): DeferredRelation =
    new DeferredRelation(function, DataTypeUtils.toAttributes(schema), () => made)
}

/**
 * A call of a table function that has yet to be looked at. An error that Spark meets where it looks
 * up functions gets the place in the query added, and PySpark cannot show such an error unless it is
 * one of Spark's own.
 */
final case class UnresolvedFunctionCall(result: () => LogicalPlan) extends LeafNode {

  override lazy val resolved: Boolean = false

  override def output: Seq[Attribute] = Nil
}

object ResolveFunctionCalls extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case UnresolvedFunctionCall(result) => result()
  }
}

object DeferredRelationStrategy extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case report: DeferredRelation => Seq(planLater(report.rows))
    case _ => Nil
  }
}
