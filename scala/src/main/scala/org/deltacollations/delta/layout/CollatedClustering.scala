// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.layout

import java.util.IdentityHashMap

import org.apache.spark.sql.delta.Snapshot
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.commands.{ClusteringStrategy, OptimizeTableStrategy}
import org.apache.spark.sql.delta.skipping.clustering.{ClusteredTableUtils, ClusteringColumnInfo}
import org.apache.spark.sql.delta.zorder.ZCubeInfo

import org.deltacollations.collation.{CollatedString, SparkCollations}
import org.deltacollations.delta.util.AddFileCopy
import org.deltacollations.patch.{Hook, HookKind}
import org.deltacollations.protocol.ColumnBounds

/**
 * Makes `OPTIMIZE … FULL` lay out files again after the collation of a clustering column has changed.
 * Delta does so only after a change of the clustering columns themselves, whose names it keeps in the tags
 * of each file. This object adds a tag with their collations.
 */
private[delta] object CollatedClustering {

  val hook: Hook = Hook(
    name = "cluster-again",
    className = "org.apache.spark.sql.delta.commands.OptimizeTableStrategy$",
    method = "apply",
    signatures = Seq(
      "(sql.SparkSession, sql.delta.Snapshot, sql.delta.commands.DeltaOptimizeContext, " +
        "immutable.Seq): sql.delta.commands.OptimizeTableStrategy"
    ),
    kind = HookKind.ReplaceResult,
    degradation =
      "OPTIMIZE FULL ignores files that were laid out before the collation of a column has changed",
    replace = call =>
      call.value match {
        case strategy: ClusteringStrategy =>
          new CollatedClusteringStrategy(strategy, tagFor(call.arguments(1).asInstanceOf[Snapshot]))
        case other => other
      }
  )

  /** The name of the tag that lists the collated clustering columns with their collations. */
  val TagName: String = "deltaCollations.clusteredBy"

  /** Returns the tag of files that are laid out now; none if no clustering column has a collation. */
  private def tagFor(snapshot: Snapshot): Option[String] = {
    val collations = for {
      column <- ClusteredTableUtils.getClusteringColumnsOptional(snapshot).toSeq.flatten
      CollatedString(string) <- Some(ClusteringColumnInfo(snapshot.schema, column).dataType)
    } yield {
      val collation = SparkCollations.identifier(CollatedString.nameOf(string))
      s"${ColumnBounds.key(column.physicalName)}=$collation"
    }
    Option.when(collations.nonEmpty)(collations.mkString(","))
  }
}

/** @param tag the tag of files that are laid out now; files with another one have another order */
final private class CollatedClusteringStrategy(original: ClusteringStrategy, tag: Option[String])
    extends ClusteringStrategy(
      original.sparkSession,
      original.clusteringColumns,
      original.optimizeContext
    ) {

  override def prepareFilesPerPartition(files: Seq[AddFile]): Seq[AddFile] =
    if (!optimizeContext.isFull) super.prepareFilesPerPartition(files)
    else {
      val marked = files.map(markOtherOrder)
      val originals = new IdentityHashMap[AddFile, AddFile]
      marked.zip(files).foreach { case (mark, original) => originals.put(mark, original) }
      super.prepareFilesPerPartition(marked).map(originals.get)
    }

  override def tagAddFile(file: AddFile, bin: OptimizeTableStrategy.BinInfo): AddFile = {
    val clustered = super.tagAddFile(file, bin)
    tag.fold(clustered) { collations =>
      val tags = clustered.tagsOrEmpty + (CollatedClustering.TagName -> collations)
      AddFileCopy(clustered, "tags" -> tags)
    }
  }

  /** Returns a file in another order as one that was clustered by other columns. */
  private def markOtherOrder(file: AddFile): AddFile =
    ZCubeInfo.getForFile(file).filter(_ => file.tagsOrEmpty.get(CollatedClustering.TagName) != tag)
      .fold(file)(info => ZCubeInfo.setForFile(file, info.copy(zOrderBy = OtherColumns)))

  private val OtherColumns = Seq("")
}
