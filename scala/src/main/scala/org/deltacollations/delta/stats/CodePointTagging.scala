// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats

import org.apache.spark.sql.delta.OptimisticTransactionImpl
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.stats.StatisticsCollection

import org.deltacollations.delta.feature.CollationsDomain
import org.deltacollations.delta.patch.{DeltaPatch, Hook, HookKind}
import org.deltacollations.delta.util.AddFileCopy
import org.deltacollations.protocol.{CodePointTag, StatsRelabeling, WriteVersions}

/**
 * Tags the files that Delta writes with the code points of their collated columns, which prove the
 * bounds that also hold in other ICU versions.
 *
 * The code points are computed from rows on executors. Delta's writer has only one channel for such
 * values per file, the statistics. So [[StatsCollector]] collects the code points as one more field
 * of the statistics, the carrier field, and this hook moves the field to the tags before the commit.
 * Only the writer needs the carrier field: a refresh runs its own query, in which the code points are
 * a column of their own.
 */
private[delta] object CodePointTagging {

  private val writer = "org.apache.spark.sql.delta.files.TransactionalWrite"

  /** The overload that all others call. */
  val hook: Hook = Hook(
    name = "code-point-tags",
    className = writer,
    method = "writeFiles",
    signatures = Seq("(sql.Dataset, scala.Option, boolean, immutable.Seq): immutable.Seq"),
    kind = HookKind.ReplaceResult,
    degradation = "files are not tagged with the code points of their collated columns",
    replace = call => {
      lazy val listed =
        CollationsDomain.writeVersions(call.receiver.asInstanceOf[OptimisticTransactionImpl].snapshot)
      call.value.asInstanceOf[Seq[AnyRef]].map(tagged(_, listed))
    }
  )

  /** Returns whether the hook removes the carrier field from what `statistics` collects. */
  def removesField(statistics: StatisticsCollection): Boolean =
    isOfWriter(statistics.getClass.getName) && DeltaPatch.isApplied(hook)

  /** Delta's writer makes its collector by a class within itself. */
  def isOfWriter(className: String): Boolean = className.startsWith(writer + "$")

  private def tagged(action: AnyRef, listed: => WriteVersions): AnyRef = action match {
    case file: AddFile =>
      val (stats, tag) = CodePointTag.extract(file.stats)
      tag.fold(file) { held =>
        val others =
          RequiredBounds(AdditionalIcuVersions.asked(listed, StatsRelabeling.columnsWithBounds(stats)))
        val added = Map(CodePointTag.Name -> held)
        val relabeled = others.relabeled(stats, added)
        AddFileCopy(file, "stats" -> relabeled, "tags" -> (file.tagsOrEmpty ++ added))
      }
    case other => other
  }
}
