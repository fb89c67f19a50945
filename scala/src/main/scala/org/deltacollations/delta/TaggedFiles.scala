// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta

import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.stats.StatisticsCollection

import org.deltacollations.protocol.CodePointTag

/**
 * Tags the files that Delta has written with the characters that their collated columns hold. They
 * were collected with the statistics, and are taken out of them here.
 */
private[delta] object TaggedFiles {

  private val writer = "org.apache.spark.sql.delta.files.TransactionalWrite"

  /** One form of the method calls another: what is done by the inner one the outer ones let pass. */
  val hook: Hook = Hook(
    name = "code-point-tags",
    className = writer,
    method = "writeFiles",
    shape = HookShape.FilterResult,
    withoutIt = "files do not say which characters their collated columns hold",
    answer = call => call.value.asInstanceOf[Seq[AnyRef]].map(tagged)
  )

  /** Whether what is collected will be taken out of the statistics again. */
  def areMadeOf(statistics: StatisticsCollection): Boolean =
    statistics.isInstanceOf[AskedStatistics] || isOfWriter(statistics.getClass.getName) &&
      DeltaPatch.isApplied(hook)

  /** Delta's writer makes its collector by a class within itself. */
  def isOfWriter(className: String): Boolean = className.startsWith(writer + "$")

  private def tagged(action: AnyRef): AnyRef = action match {
    case file: AddFile =>
      val (stats, tag) = CodePointTag.cut(file.stats)
      if (tag.isEmpty) file else ChangedFile(file, stats, file.dataChange, tag)
    case other => other
  }
}
