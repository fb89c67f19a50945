// SPDX-License-Identifier: Apache-2.0
package org.deltacollations

import org.apache.spark.sql.SparkSession

/** A switch of this library. `doc` says what changes for the user, and when to touch it. */
final case class Switch(key: String, doc: String) {

  /** Every switch is on unless someone turned it off; what is no boolean turns nothing off. */
  def isOn: Boolean =
    !SparkSession.active.conf.getOption(key).exists(_.trim.equalsIgnoreCase("false"))
}

/** Every setting of this library. They can be changed while a session runs. */
object CollationsConf {

  val StatsEnabled: Switch = Switch(
    key = "spark.deltaCollations.stats.enabled",
    doc = "Collect minimum and maximum of collated columns on every write. Turn off for a bulk " +
      "load that will be rewritten anyway; files written so are never skipped by these columns."
  )

  val SkippingEnabled: Switch = Switch(
    key = "spark.deltaCollations.skipping.enabled",
    doc =
      "Leave out files that cannot match a filter on a collated column. Turn off to compare, or " +
        "if you do not trust the statistics that others wrote; every such filter then reads every file."
  )

  val ShieldEnabled: Switch = Switch(
    key = "spark.deltaCollations.shield.enabled",
    doc =
      "Keep known wrong answers of Spark away from queries on collated strings. Turn off only to " +
        "see the plan or the answer that Spark alone would give."
  )

  val all: Seq[Switch] = Seq(StatsEnabled, SkippingEnabled, ShieldEnabled)
}
