// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.util

import org.apache.spark.sql.delta.actions.AddFile

/**
 * Copies an `AddFile` with some of its fields replaced.
 *
 * `AddFile.copy` cannot be called from code that runs with several releases of Delta, because Delta
 * adds fields to the class and thereby changes the signature of `copy`. This object calls the primary
 * constructor by reflection instead.
 */
private[delta] object AddFileCopy {

  /**
   * Returns `file` with new values for the given fields, which are named as in `AddFile`.
   *
   * @throws IllegalArgumentException
   *   if `AddFile` has no field of a given name
   */
  def apply(file: AddFile, changes: (String, Any)*): AddFile = {
    val names = file.productElementNames.toSeq
    val newValues = changes.toMap
    val unknown = newValues.keySet -- names
    require(unknown.isEmpty, s"AddFile has no field ${unknown.mkString(", ")}")
    val values = names.zip(file.productIterator).map { case (name, value) =>
      newValues.getOrElse(name, value).asInstanceOf[AnyRef]
    }
    val constructor = file.getClass.getConstructors.find(_.getParameterCount == values.size).get
    constructor.newInstance(values: _*).asInstanceOf[AddFile]
  }
}
