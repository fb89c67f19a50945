// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.util

import org.apache.spark.sql.delta.actions.{Action, AddFile}

import org.deltacollations.protocol.CodePointTag

/**
 * A file of a table with other statistics, or another tag. It is changed in the form that the log has
 * of it, because Delta gives the class further fields from release to release, and its `copy` another
 * signature.
 */
private[delta] object AddFileCopy {

  /** @param codePoints the new value of that tag, if it has one */
  def apply(
      file: AddFile,
      stats: String,
      dataChange: Boolean,
      codePoints: Option[String] = None
  ): AddFile = {
    val tags = codePoints.map(CodePointTag.Name -> _).toMap
    Action.fromJson(FileText.withStats(file.json, stats, dataChange, tags)).asInstanceOf[AddFile]
  }
}
