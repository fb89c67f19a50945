// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.util

import org.apache.spark.sql.SparkSession

/** Sets the description of the Spark jobs that `body` runs, and restores the previous one. */
private[delta] object JobDescription {

  def of[T](session: SparkSession, description: String)(body: => T): T = {
    val context = session.sparkContext
    val previous = context.getLocalProperty("spark.job.description")
    context.setJobDescription(description)
    try body
    finally context.setJobDescription(previous)
  }
}
