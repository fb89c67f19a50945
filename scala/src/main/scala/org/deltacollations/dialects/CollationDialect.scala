// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

/** Parses the collation names of one database system. */
private[dialects] trait CollationDialect {

  /** The name of the system in the result of `collation_for`. */
  def system: String

  /** Finds the Spark collation for `name`, ignoring case. `None` if the system has no such name. */
  def resolve(name: String): Option[DialectMatch]
}

/** The Spark collation for a name, without the name and its system. See [[CollationMapping]]. */
final private[dialects] case class DialectMatch(
    collation: Option[String],
    isExact: Boolean,
    differences: Seq[String]
)

private[dialects] object DialectMatch {

  /** Matches a collation that is proven to have the same order, for the given reason. */
  def exact(collation: SparkCollationName, proof: String): DialectMatch =
    DialectMatch(Some(collation.name), isExact = true, Seq(s"None: $proof"))

  def near(collation: SparkCollationName, differences: Seq[String]): DialectMatch =
    DialectMatch(Some(collation.name), isExact = false, differences)

  /** Matches a valid name for which Spark has no collation. */
  def none(reason: String): DialectMatch = DialectMatch(None, isExact = false, Seq(reason))
}

/** The Spark locale for a language of a system, with the difference between their rules, if any. */
final private[dialects] case class LocaleMapping(locale: String, difference: Option[String] = None)
