// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.util

import org.apache.spark.sql.SparkSession

/** Shows where Spark shows its jobs what `body` is about; what the user had set there comes back. */
private[delta] object JobDescription {

  def of[T](session: SparkSession, text: String)(body: => T): T = {
    val context = session.sparkContext
    val before = context.getLocalProperty("spark.job.description")
    context.setJobDescription(text)
    try body
    finally context.setJobDescription(before)
  }
}
