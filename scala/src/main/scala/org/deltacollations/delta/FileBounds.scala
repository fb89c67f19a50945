// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.delta.{DataFrameUtils, DeltaColumnMapping, Snapshot}
import org.apache.spark.sql.types.{StringType, StructType}

import org.deltacollations.catalyst.ReadBounds

/**
 * Puts the bounds of strings beside the statistics that Delta has parsed and holds for a snapshot.
 *
 * They are a column of their own, and Delta's schema of the statistics stays as it is: whatever is in
 * there, Delta compares by bytes, and hands on to collectors that know only what Delta writes.
 */
private[delta] object FileBounds {

  val Column: String = "deltaCollationsBounds"

  val hook: Hook = Hook(
    name = "file-bounds",
    className = "org.apache.spark.sql.delta.stats.DataSkippingReaderBase",
    method = "withStatsInternal0",
    shape = HookShape.FilterResult,
    withoutIt = "no file is skipped by a collated column",
    answer = call => {
      val files = call.value.asInstanceOf[DataFrame]
      val snapshot = call.receiver.asInstanceOf[Snapshot]
      if (FeatureGate.isAnnounced(snapshot.protocol)) withBounds(files, strings(snapshot))
      else files
    }
  )

  /** Delta's plan puts the parsed statistics in the place of their text, which is in its child. */
  private def withBounds(files: DataFrame, columns: Seq[Seq[String]]): DataFrame =
    files.queryExecution.analyzed match {
      case parsed @ Project(outputs, log) =>
        val bounds = log.output.find(_.name == "stats").map { text =>
          Alias(ReadBounds(text, columns), Column)()
        }
        DataFrameUtils.ofRows(files.sparkSession, parsed.copy(projectList = outputs ++ bounds))
      case _ => files
    }

  /** The strings that statistics are collected for, by physical name. */
  def strings(snapshot: Snapshot): Seq[Seq[String]] =
    strings(snapshot.statCollectionPhysicalSchema, Nil)

  private def strings(schema: StructType, parents: Seq[String]): Seq[Seq[String]] =
    schema.fields.toSeq.flatMap { field =>
      val path = parents :+ DeltaColumnMapping.getPhysicalName(field)
      field.dataType match {
        case struct: StructType => strings(struct, path)
        case _: StringType => Seq(path)
        case _ => Nil
      }
    }
}
