// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.patch

import org.deltacollations.config.BuildInfo
import org.deltacollations.errors.CollationsErrors
import org.deltacollations.patch.HookedClasses

/** Finds the classes of Delta. */
private[delta] object DeltaClasses {

  /** Finds the Delta that this library links against, which is the one to change. */
  def find(): HookedClasses = {
    val loader =
      try Class.forName(anchors(root), false, getClass.getClassLoader).getClassLoader
      catch {
        case _: ClassNotFoundException =>
          throw CollationsErrors.deltaNotFound(BuildInfo.extension, BuildInfo.deltaCoordinate)
      }
    new HookedClasses(loader, anchors, bridgePackage = root)
  }

  private val root = "org.apache.spark.sql.delta"

  private val kernelConnector = "io.delta.spark.internal.v2"

  private val anchors = Map(
    root -> s"$root.DeltaOperations",
    s"$root.actions" -> s"$root.actions.JobInfo",
    s"$root.commands" -> s"$root.commands.DeltaChangeColumnSpec",
    s"$root.commands.merge" -> s"$root.commands.merge.DeduplicateCDFDeletes",
    s"$root.files" -> s"$root.files.SupportsRowIndexFilters",
    s"$root.schema" -> s"$root.schema.UnsupportedDataTypeInfo",
    s"$root.skipping.clustering" -> s"$root.skipping.clustering.ClusteringColumnInfo",
    s"$root.sources" -> s"$root.sources.DeltaSourceUtils",
    s"$root.stats" -> s"$root.stats.DataSize",
    s"$kernelConnector.utils" -> s"$kernelConnector.utils.CloseableIterator"
  )
}
