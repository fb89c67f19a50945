// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import org.apache.spark.sql.types.{DataType, StringType}

import org.deltacollations.collation.{
  BinaryOrder,
  CoarserCollations,
  CollatedString,
  CollationOrder,
  SparkCollations,
  SparkOrder
}
import org.deltacollations.delta.skipping.CollatedSkippingPredicate.Alternative
import org.deltacollations.protocol.{CollationId, ColumnBounds}

/** A collation that bounds may have, in the current ICU version. */
final private[skipping] case class BoundsCollation(id: CollationId, order: CollationOrder) {

  def where(predicate: BoundsPredicate): Alternative = Alternative(id, order, predicate)
}

private[skipping] object BoundsCollation {

  val Binary: BoundsCollation = BoundsCollation(ColumnBounds.Binary, BinaryOrder)

  def apply(string: StringType): BoundsCollation = of(SparkCollations.versionedId(string))

  def of(id: CollationId): BoundsCollation =
    if (id == ColumnBounds.Binary) Binary else BoundsCollation(id, SparkOrder(id.name))

  /** Returns the collation itself if it is a total order. Else, a minimum is not a lower bound. */
  def own(string: StringType): Option[BoundsCollation] =
    Some(BoundsCollation(string)).filter(_.order.isTotalOrder)

  /** Returns the collations under which equal strings are equal too, and smaller ones not greater. */
  def coarser(string: StringType): Seq[BoundsCollation] =
    CoarserCollations.of(string).map(BoundsCollation(_))

  /** Returns the collations whose bounds can decide comparisons of collated strings. */
  def ofComparisons(dataType: DataType): Seq[BoundsCollation] = dataType match {
    case CollatedString(string) => own(string).toSeq ++ coarser(string)
    case _ => Nil
  }
}
