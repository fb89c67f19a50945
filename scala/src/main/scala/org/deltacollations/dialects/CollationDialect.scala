// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

/** A system that names its collations by some grammar. */
private[dialects] trait CollationDialect {

  /** Its name, as users know it. */
  def system: String

  /** What `name` is in Spark, or `None` if this system has no such name. In any letter case. */
  def answer(name: String): Option[DialectMatch]
}

/** A counterpart before it is known whose it is. */
final private[dialects] case class DialectMatch(
    collation: Option[String],
    isExact: Boolean,
    differences: Seq[String]
)

private[dialects] object DialectMatch {

  /** The same order, for the reason given: what cannot be proven is not called exact. */
  def exact(collation: SparkCollationName, proof: String): DialectMatch =
    DialectMatch(Some(collation.name), isExact = true, Seq(s"None: $proof"))

  def near(collation: SparkCollationName, differences: Seq[String]): DialectMatch =
    DialectMatch(Some(collation.name), isExact = false, differences)

  /** A name that is known and still stands for no collation. */
  def none(why: String): DialectMatch = DialectMatch(None, isExact = false, Seq(why))
}
