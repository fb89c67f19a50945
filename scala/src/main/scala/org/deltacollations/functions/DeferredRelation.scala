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
 * A relation of a few rows that are computed when the query is planned for execution, not when it is
 * analyzed. Spark Connect analyzes a query many times, and each analysis would read the log of a table.
 */
final case class DeferredRelation(
    function: String,
    output: Seq[Attribute],
    computeRows: () => Seq[Row]
) extends LeafNode
    with MultiInstanceRelation {

  override def newInstance(): LogicalPlan = copy(output = output.map(_.newInstance()))

  /** An estimate: functions return a few rows per column of a table. */
  override def computeStats(): Statistics = Statistics(sizeInBytes = 1 << 16)

  override protected def stringArgs: Iterator[Any] = Iterator(function, output)

  def toLocalRelation: LocalRelation = {
    val schema = DataTypeUtils.fromAttributes(output)
    val converter = CatalystTypeConverters.createToCatalystConverter(schema)
    LocalRelation(output, computeRows().map(converter(_).asInstanceOf[InternalRow]))
  }
}

object DeferredRelation {

  def apply(function: String, schema: StructType)(rows: => Seq[Row]): DeferredRelation =
    new DeferredRelation(function, DataTypeUtils.toAttributes(schema), () => rows)
}

/**
 * A call of a table function whose arguments are not checked yet. [[ResolveFunctionCalls]] checks them
 * after Spark has looked up the function: Spark adds the position in the query to errors thrown during
 * the lookup, and PySpark can show such errors only if they are Spark's own.
 */
final case class UnresolvedFunctionCall(resolve: () => LogicalPlan) extends LeafNode {

  override lazy val resolved: Boolean = false

  override def output: Seq[Attribute] = Nil
}

/** Replaces calls of table functions by their plans. */
object ResolveFunctionCalls extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case UnresolvedFunctionCall(resolve) => resolve()
  }
}

/** Computes the rows of deferred relations when a query is planned. */
object DeferredRelationStrategy extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case relation: DeferredRelation => Seq(planLater(relation.toLocalRelation))
    case _ => Nil
  }
}
