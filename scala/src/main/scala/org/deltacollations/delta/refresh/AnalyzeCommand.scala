// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.refresh

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.command.UnaryRunnableCommand
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.{Row, SparkSession}

/**
 * Refreshes the statistics of the table `child` and returns one row with counts.
 *
 * `files_relabeled` counts those of `files_refreshed` that were not read. `bytes_read` is the total size
 * of the files that were read, an upper bound of the bytes transferred: of most files Spark reads only
 * the collated columns.
 */
final case class AnalyzeCommand(child: LogicalPlan) extends UnaryRunnableCommand {

  override val output: Seq[Attribute] =
    Seq("files_checked", "files_refreshed", "bytes_read", "files_relabeled")
      .map(name => AttributeReference(name, LongType, nullable = false)())

  override def run(session: SparkSession): Seq[Row] = {
    val result = StatsRefresh.of(child, AnalyzeStatement.Name).run(session)
    Seq(Row(result.checked, result.refreshed, result.bytes, result.relabeled))
  }

  override protected def withNewChildInternal(newChild: LogicalPlan): AnalyzeCommand =
    copy(child = newChild)
}
