// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.config

import java.util.regex.Pattern

/**
 * All settings of this library. They can be changed while a session runs.
 *
 * `doc` says what the setting does and when to change it. `docs/generate.py` copies it into the
 * configuration page.
 */
object CollationsConf {

  /**
   * Registers all settings by initializing this object, before the first session is created: Spark
   * checks the values of registered settings only.
   */
  def register(): Unit = ()

  val StatsEnabled: BooleanConf = new BooleanConf(
    "spark.deltaCollations.stats.enabled",
    "Collect the minimum and maximum of collated columns on every write. Disable it for a bulk load " +
      "that will be rewritten anyway. Files that are written without these statistics cannot be " +
      "skipped by a filter on a collated column."
  )

  val RelabelEnabled: BooleanConf = new BooleanConf(
    "spark.deltaCollations.stats.relabel.enabled",
    "Reuse statistics of another ICU version where both versions are proven to order all strings of " +
      "a file in the same way. If disabled, such files are read again to compute their statistics."
  )

  val IcuVersions: StringListConf = new StringListConf(
    "spark.deltaCollations.stats.icuVersions",
    "Additional ICU versions to write statistics for, for example `76.1, 77.1`, so that other engines " +
      "on the same tables can skip files too. Versions that the domain metadata of a table lists " +
      "need not be listed here.",
    Pattern.compile("[0-9]+(\\.[0-9]+)*"),
    "an ICU version, for example 77.1"
  )

  val IcuJars: StringListConf = new StringListConf(
    "spark.deltaCollations.stats.icuJars",
    "Paths of ICU4J jars on the driver, for example `/opt/icu4j-77.1.jar`. They compute statistics of " +
      "their ICU version where those of the current version cannot be reused. Without a jar, such " +
      "statistics are not written.",
    Pattern.compile(".+"),
    "a path"
  )

  val SkippingEnabled: BooleanConf = new BooleanConf(
    "spark.deltaCollations.skipping.enabled",
    "Skip files that cannot match a filter on a collated column. Disable it to compare results, or " +
      "if you do not trust the statistics of other writers. Such filters then read every file."
  )

  val SkippingByMergeKeys: BooleanConf = new BooleanConf(
    "spark.deltaCollations.skipping.mergeKeys.enabled",
    "Let `MERGE` read only the files of its target that may contain a key of the source. This applies " +
      "to all Delta tables, with and without collations. Disable it if a large source is slow to read."
  )

  val CoercionEnabled: BooleanConf = new BooleanConf(
    "spark.deltaCollations.coercion.enabled",
    "Compare a `UTF8_BINARY` string with a collated string by the collation, where Spark rejects the " +
      "comparison as `INDETERMINATE_COLLATION_IN_EXPRESSION`. Disable it to get Spark's error. See " +
      "[Mixed collations](mixed-collations.md)."
  )

  val CorrectnessEnabled: BooleanConf = new BooleanConf(
    "spark.deltaCollations.correctness.enabled",
    "Work around known wrong-result bugs of Spark's optimizer in queries on collated strings. " +
      "Disable it only to see the plan or the result of Spark alone."
  )

  val SpeedEnabled: BooleanConf = new BooleanConf(
    "spark.deltaCollations.speed.enabled",
    "Sort, group, join and filter collated strings by sort keys, which is faster than Spark's own " +
      "way. Disable it to get Spark's own plans. The settings below do the same for one kind of " +
      "operation."
  )

  val SpeedSort: BooleanConf = speed("sort", "`ORDER BY`")

  val SpeedGroup: BooleanConf = speed("group", "`GROUP BY`, `DISTINCT` and `COUNT(DISTINCT …)`")

  val SpeedWindow: BooleanConf = speed("window", "window functions")

  val SpeedJoin: BooleanConf = speed("join", "joins")

  val SpeedExpressions: BooleanConf =
    speed("expressions", "comparisons, `IN`, `contains` and other functions on strings")

  val SpeedMinMax: BooleanConf = speed("minMax", "`MIN` and `MAX`")

  val SpeedLayout: BooleanConf = speed("layout", "`OPTIMIZE` with `ZORDER BY` or `CLUSTER BY`")

  private def speed(operation: String, what: String): BooleanConf =
    new BooleanConf(
      s"spark.deltaCollations.speed.$operation.enabled",
      s"Use sort keys for $what."
    )

  val StreamingEnabled: BooleanConf = new BooleanConf(
    "spark.deltaCollations.streaming.enabled",
    "Let streams aggregate, deduplicate and join by collated strings, with sort keys in their state. " +
      "The checkpoint records the version of the keys. If disabled, Spark rejects collated keys, except " +
      "in joins, whose state then has keys without a recorded version."
  )

  val booleans: Seq[BooleanConf] = Seq(
    StatsEnabled,
    RelabelEnabled,
    SkippingEnabled,
    SkippingByMergeKeys,
    CoercionEnabled,
    CorrectnessEnabled,
    SpeedEnabled,
    SpeedSort,
    SpeedGroup,
    SpeedWindow,
    SpeedJoin,
    SpeedExpressions,
    SpeedMinMax,
    SpeedLayout,
    StreamingEnabled
  )

  val lists: Seq[StringListConf] = Seq(IcuVersions, IcuJars)
}
