// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.config

import java.util.Properties

import scala.util.Using

import org.apache.spark.SPARK_VERSION

import org.deltacollations.errors.CollationsErrors

/** What this jar was built for, as the build wrote it down. */
object BuildInfo {

  private val facts: Properties = {
    val properties = new Properties
    Using.resource(getClass.getResourceAsStream("/delta-collations.properties"))(properties.load)
    properties
  }

  /** The Spark minor, like `4.2`. */
  val spark: String = facts.getProperty("spark")

  /** The first patch release of it that is supported, like `4.2.0`. */
  val firstSpark: String = facts.getProperty("firstSpark")

  /** The Delta release the hooks were verified with. */
  val delta: String = facts.getProperty("delta")

  /** Where that Delta is published. */
  val deltaCoordinate: String = s"io.delta:delta-spark_${spark}_2.13:$delta"

  /** The class users list in `spark.sql.extensions`. */
  val extension: String = "org.deltacollations.CollationsExtension"

  /** Spark's internals change between minors, so a jar of another one is refused before it harms. */
  def requireSupportedSpark(running: String = SPARK_VERSION): Unit =
    if (
      running.split('.').take(2).mkString(".") != spark || patchOf(running) < patchOf(firstSpark)
    ) {
      val built = if (patchOf(firstSpark) == 0) spark else s"$spark (since $firstSpark)"
      throw CollationsErrors.unsupportedSparkVersion(built, running)
    }

  /** The third number of a release, which a vendor may have extended, as in `4.1.1-amzn-0`. */
  private def patchOf(release: String): Int =
    release.split('.').lift(2).flatMap(_.takeWhile(_.isDigit).toIntOption).getOrElse(0)
}
