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
 * Tags the files that Delta has written with the characters that their collated columns hold. They
 * were collected with the statistics, and are taken out of them here. By them it is known at once which
 * bounds hold under other versions too.
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
    degradation = "files do not say which characters their collated columns hold",
    replace = call => {
      lazy val listed =
        CollationsDomain.writeVersions(call.receiver.asInstanceOf[OptimisticTransactionImpl].snapshot)
      call.value.asInstanceOf[Seq[AnyRef]].map(tagged(_, listed))
    }
  )

  /** Whether what is collected will be taken out of the statistics again. */
  def areMadeOf(statistics: StatisticsCollection): Boolean =
    statistics.isInstanceOf[OnDemandStats] || isOfWriter(statistics.getClass.getName) &&
      DeltaPatch.isApplied(hook)

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
