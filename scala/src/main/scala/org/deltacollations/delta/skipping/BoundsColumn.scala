// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.delta.stats.DataSkippingReaderBase
import org.apache.spark.sql.delta.{DataFrameUtils, DeltaColumnMapping, Snapshot}
import org.apache.spark.sql.types.{StringType, StructType}

import com.google.common.collect.MapMaker
import org.deltacollations.delta.feature.FeatureRegistry
import org.deltacollations.delta.patch.{Hook, HookKind}

/**
 * Puts the bounds of strings beside the statistics that Delta has parsed and holds for a snapshot.
 *
 * They are a column of their own, and Delta's schema of the statistics stays as it is: whatever is in
 * there, Delta compares by bytes, and hands on to collectors that know only what Delta writes.
 */
private[delta] object BoundsColumn {

  val Column: String = "deltaCollationsBounds"

  val hook: Hook = Hook(
    name = "file-bounds",
    className = "org.apache.spark.sql.delta.stats.DataSkippingReaderBase",
    method = "withStatsInternal0",
    signatures = Seq("(): sql.Dataset"),
    kind = HookKind.ReplaceResult,
    degradation = "no file is skipped by a collated column",
    requires = Set("collated-filter", "bound-filter"),
    replace = call => {
      val files = call.value.asInstanceOf[DataFrame]
      val snapshot = call.receiver.asInstanceOf[Snapshot]
      val added =
        if (FeatureRegistry.isSupported(snapshot.protocol)) withBounds(files, strings(snapshot))
        else None
      added.foreach(_ => known.put(call.receiver, true))
      added.getOrElse(files)
    }
  )

  /** By identity, since to ask the files of a snapshot for their columns takes as long as a query. */
  private val known = new MapMaker().weakKeys().makeMap[AnyRef, Boolean]()

  /** Whether the files of a snapshot have their bounds beside them; reads them if nobody has yet. */
  def areBeside(files: DataSkippingReaderBase): Boolean = {
    if (!known.containsKey(files)) files.withStats: Unit
    known.containsKey(files)
  }

  /** Delta's plan puts the parsed statistics in the place of their text, which is in its child. */
  private def withBounds(files: DataFrame, columns: Seq[Seq[String]]): Option[DataFrame] =
    files.queryExecution.analyzed match {
      case parsed @ Project(outputs, log) =>
        log.output.find(_.name == "stats").map { text =>
          val bounds = Alias(ReadBounds(text, columns), Column)()
          DataFrameUtils.ofRows(files.sparkSession, parsed.copy(projectList = outputs :+ bounds))
        }
      case _ => None
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
