// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.elsewhere

/** A system that names its collations by some grammar. */
private[elsewhere] trait NamedSystem {

  /** Its name, as users know it. */
  def system: String

  /** What `name` is in Spark, or `None` if this system has no such name. In any letter case. */
  def answer(name: String): Option[Answer]
}

/** A counterpart before it is known whose it is. */
final private[elsewhere] case class Answer(
    collation: Option[String],
    isExact: Boolean,
    differences: Seq[String]
)

private[elsewhere] object Answer {

  /** The same order, for the reason given: what cannot be proven is not called exact. */
  def exact(collation: SparkCollation, proof: String): Answer =
    Answer(Some(collation.name), isExact = true, Seq(s"None: $proof"))

  def near(collation: SparkCollation, differences: Seq[String]): Answer =
    Answer(Some(collation.name), isExact = false, differences)

  /** A name that is known and still stands for no collation. */
  def none(why: String): Answer = Answer(None, isExact = false, Seq(why))
}
