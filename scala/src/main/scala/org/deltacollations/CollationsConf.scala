// SPDX-License-Identifier: Apache-2.0
package org.deltacollations

import org.apache.spark.sql.SparkSession

/** A switch of this library. `doc` says what changes for the user, and when to touch it. */
final case class Switch(key: String, doc: String) {

  /** Every switch is on unless someone turned it off; what is no boolean turns nothing off. */
  def isOn: Boolean =
    !SparkSession.active.conf.getOption(key).exists(_.trim.equalsIgnoreCase("false"))
}

/** A list of names with commas between, empty unless someone set it. */
final case class NameList(key: String, doc: String) {

  def values: Seq[String] =
    SparkSession.active.conf.getOption(
      key
    ).toSeq.flatMap(_.split(',')).map(_.trim).filter(_.nonEmpty)
}

/** Every setting of this library. They can be changed while a session runs. */
object CollationsConf {

  val StatsEnabled: Switch = Switch(
    key = "spark.deltaCollations.stats.enabled",
    doc = "Collect minimum and maximum of collated columns on every write. Turn off for a bulk " +
      "load that will be rewritten anyway; files written so are never skipped by these columns."
  )

  val CertificatesEnabled: Switch = Switch(
    key = "spark.deltaCollations.certificates.enabled",
    doc =
      "Take bounds of another version of ICU for those of this one, or the other way round, where " +
        "both are proven to order the strings of a file alike. Turn off to have every such file read."
  )

  val StatsVersions: NameList = NameList(
    key = "spark.deltaCollations.stats.versions",
    doc =
      "Versions of ICU, `76.1, 77.1`, that writers leave bounds for beside the running one, for " +
        "other engines on the same tables. Versions that a table lists in its domain metadata need not " +
        "be named."
  )

  val IcuJars: NameList = NameList(
    key = "spark.deltaCollations.stats.icuJars",
    doc =
      "Files of the driver, `/opt/icu4j-77.1.jar`, to compute bounds of their versions with where " +
        "nothing is proven. Without one, such bounds are left out."
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

  val SpeedEnabled: Switch = Switch(
    key = "spark.deltaCollations.speed.enabled",
    doc =
      "Sort, group, join and filter collated strings by faster means. Turn off to have Spark's " +
        "own plans; the switches below do that for one kind of operation."
  )

  val SortSpeed: Switch = speed("sort", "`ORDER BY`")

  val GroupSpeed: Switch = speed("group", "`GROUP BY`, `DISTINCT` and `COUNT(DISTINCT …)`")

  val WindowSpeed: Switch = speed("window", "windows")

  val JoinSpeed: Switch = speed("join", "joins")

  val FilterSpeed: Switch = speed("filter", "comparisons, `IN`, `contains` and the like")

  val ExtremeSpeed: Switch = speed("extreme", "`MIN` and `MAX`")

  private def speed(operation: String, what: String): Switch =
    Switch(s"spark.deltaCollations.speed.$operation.enabled", s"The same for $what alone.")

  val lists: Seq[NameList] = Seq(StatsVersions, IcuJars)

  val all: Seq[Switch] = Seq(
    StatsEnabled,
    CertificatesEnabled,
    SkippingEnabled,
    ShieldEnabled,
    SpeedEnabled,
    SortSpeed,
    GroupSpeed,
    WindowSpeed,
    JoinSpeed,
    FilterSpeed,
    ExtremeSpeed
  )
}
