// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta

import org.apache.spark.sql.delta.actions.{Action, AddFile}

import org.deltacollations.protocol.FileText

/**
 * A file of a table with other statistics. It is changed in the form that the log has of it, because
 * Delta gives the class further fields from release to release, and its `copy` another signature.
 */
private[delta] object ChangedFile {

  def apply(file: AddFile, stats: String, dataChange: Boolean): AddFile =
    Action.fromJson(FileText.withStats(file.json, stats, dataChange)).asInstanceOf[AddFile]
}
