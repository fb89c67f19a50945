// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats

import org.apache.spark.sql.delta.OptimisticTransactionImpl
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.stats.StatisticsCollection

import org.deltacollations.delta.feature.CollationsDomain
import org.deltacollations.delta.patch.DeltaPatch
import org.deltacollations.delta.util.AddFileCopy
import org.deltacollations.patch.{Hook, HookKind}
import org.deltacollations.protocol.{CodePointTag, StatsRelabeling, WriteVersions}

/**
 * Tags the files that Delta writes with the code points of their collated columns. The tags prove which
 * bounds also hold in other ICU versions, and this object adds those that other engines need.
 *
 * The code points are computed from rows on executors. Delta's writer has only one channel for such
 * values per file, the statistics. So [[StatsCollector]] collects the code points as one more field
 * of the statistics, the carrier field, and this hook moves the field to the tags before the commit.
 * Only the writer needs the carrier field: a refresh runs its own query, in which the code points are
 * a column of their own.
 */
private[delta] object CodePointTagging {

  private val writer = "org.apache.spark.sql.delta.files.TransactionalWrite"

  /** Hooks the overload that all other overloads call. */
  val hook: Hook = Hook(
    name = "code-point-tags",
    className = writer,
    method = "writeFiles",
    signatures = Seq("(sql.Dataset, scala.Option, boolean, immutable.Seq): immutable.Seq"),
    kind = HookKind.ReplaceResult,
    degradation = "files are not tagged with the code points of their collated columns",
    replace = call => {
      lazy val listed =
        CollationsDomain.writeVersions(
          call.receiver.asInstanceOf[OptimisticTransactionImpl].snapshot
        )
      call.value.asInstanceOf[Seq[AnyRef]].map(withTag(_, listed))
    }
  )

  /** Returns whether the hook removes the carrier field from the statistics of this collector. */
  def removesField(statistics: StatisticsCollection): Boolean =
    isWriterClass(statistics.getClass.getName) && DeltaPatch.isApplied(hook)

  /** Returns whether the class is nested in Delta's writer, as the statistics collector of writes is. */
  def isWriterClass(className: String): Boolean = className.startsWith(writer + "$")

  private def withTag(action: AnyRef, listed: => WriteVersions): AnyRef = action match {
    case file: AddFile =>
      val (stats, tag) = CodePointTag.extract(file.stats)
      tag.fold(file) { codePoints =>
        val requested = AdditionalIcuVersions
          .requestedBounds(listed, StatsRelabeling.columnsWithBounds(stats))
        val newTag = Map(CodePointTag.Name -> codePoints)
        val newStats = RequiredBounds(requested).relabeled(stats, newTag)
        AddFileCopy(file, "stats" -> newStats, "tags" -> (file.tagsOrEmpty ++ newTag))
      }
    case other => other
  }
}
