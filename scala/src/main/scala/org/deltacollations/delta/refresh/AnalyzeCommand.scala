// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.refresh

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.command.UnaryRunnableCommand
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.{Row, SparkSession}

/**
 * Brings the statistics of the table `child` up to date, and says in one row what was done.
 *
 * `files_relabeled` are those of `files_refreshed` that nothing was read of. `bytes_read` is the size
 * of the files that were read. That is what was at stake and not what came over the wire, since of
 * most files only the collated columns are.
 */
final case class AnalyzeCommand(child: LogicalPlan) extends UnaryRunnableCommand {

  override val output: Seq[Attribute] =
    Seq("files_checked", "files_refreshed", "bytes_read", "files_relabeled")
      .map(name => AttributeReference(name, LongType, nullable = false)())

  override def run(session: SparkSession): Seq[Row] = {
    val done = StatsRefresh.of(child, AnalyzeStatement.Name).run(session)
    Seq(Row(done.checked, done.refreshed, done.bytes, done.relabeled))
  }

  override protected def withNewChildInternal(newChild: LogicalPlan): AnalyzeCommand =
    copy(child = newChild)
}
