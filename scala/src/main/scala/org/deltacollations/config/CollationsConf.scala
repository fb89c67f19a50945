// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.config

import org.apache.spark.sql.SparkSession

/** A switch of this library. `doc` says what changes for the user, and when to touch it. */
final case class BooleanConf(key: String, doc: String) {

  /** Every switch is on unless someone turned it off; what is no boolean turns nothing off. */
  def isOn: Boolean =
    !SparkSession.active.conf.getOption(key).exists(_.trim.equalsIgnoreCase("false"))
}

/** A list of names with commas between, empty unless someone set it. */
final case class StringListConf(key: String, doc: String) {

  def values: Seq[String] =
    SparkSession.active.conf.getOption(
      key
    ).toSeq.flatMap(_.split(',')).map(_.trim).filter(_.nonEmpty)
}

/** Every setting of this library. They can be changed while a session runs. */
object CollationsConf {

  val StatsEnabled: BooleanConf = BooleanConf(
    key = "spark.deltaCollations.stats.enabled",
    doc = "Collect minimum and maximum of collated columns on every write. Turn off for a bulk " +
      "load that will be rewritten anyway; files written so are never skipped by these columns."
  )

  val CertificatesEnabled: BooleanConf = BooleanConf(
    key = "spark.deltaCollations.certificates.enabled",
    doc =
      "Take bounds of another version of ICU for those of this one, or the other way round, where " +
        "both are proven to order the strings of a file alike. Turn off to have every such file read."
  )

  val StatsVersions: StringListConf = StringListConf(
    key = "spark.deltaCollations.stats.versions",
    doc =
      "Versions of ICU, `76.1, 77.1`, that writers leave bounds for beside the running one, for " +
        "other engines on the same tables. Versions that a table lists in its domain metadata need not " +
        "be named."
  )

  val IcuJars: StringListConf = StringListConf(
    key = "spark.deltaCollations.stats.icuJars",
    doc =
      "Files of the driver, `/opt/icu4j-77.1.jar`, to compute bounds of their versions with where " +
        "nothing is proven. Without one, such bounds are left out."
  )

  val SkippingEnabled: BooleanConf = BooleanConf(
    key = "spark.deltaCollations.skipping.enabled",
    doc =
      "Leave out files that cannot match a filter on a collated column. Turn off to compare, or " +
        "if you do not trust the statistics that others wrote; every such filter then reads every file."
  )

  val ShieldEnabled: BooleanConf = BooleanConf(
    key = "spark.deltaCollations.shield.enabled",
    doc =
      "Keep known wrong answers of Spark away from queries on collated strings. Turn off only to " +
        "see the plan or the answer that Spark alone would give."
  )

  val SpeedEnabled: BooleanConf = BooleanConf(
    key = "spark.deltaCollations.speed.enabled",
    doc =
      "Sort, group, join and filter collated strings by faster means. Turn off to have Spark's " +
        "own plans; the switches below do that for one kind of operation."
  )

  val SortSpeed: BooleanConf = speed("sort", "`ORDER BY`")

  val GroupSpeed: BooleanConf = speed("group", "`GROUP BY`, `DISTINCT` and `COUNT(DISTINCT …)`")

  val WindowSpeed: BooleanConf = speed("window", "windows")

  val JoinSpeed: BooleanConf = speed("join", "joins")

  val FilterSpeed: BooleanConf = speed("filter", "comparisons, `IN`, `contains` and the like")

  val ExtremeSpeed: BooleanConf = speed("extreme", "`MIN` and `MAX`")

  private def speed(operation: String, what: String): BooleanConf =
    BooleanConf(s"spark.deltaCollations.speed.$operation.enabled", s"The same for $what alone.")

  val lists: Seq[StringListConf] = Seq(StatsVersions, IcuJars)

  val all: Seq[BooleanConf] = Seq(
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
