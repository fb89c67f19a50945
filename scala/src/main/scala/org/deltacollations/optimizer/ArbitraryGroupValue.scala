// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer

import org.apache.spark.sql.catalyst.expressions.{Expression, TaggingExpression}

/**
 * Returns the value that a group shows for a collated grouping key. It is any one of the group's
 * values, which are equal but not byte-identical.
 *
 * The expression is not deterministic, so that Spark does not push filters on it below the
 * aggregate.
 *
 * @param child
 *   the grouping key, or an aggregate function that selects one of the key's values
 */
final case class ArbitraryGroupValue(child: Expression) extends TaggingExpression {

  override def prettyName: String = "arbitrary_group_value"

  override lazy val deterministic: Boolean = false

  override def nullIntolerant: Boolean = true

  override protected def withNewChildInternal(newChild: Expression): ArbitraryGroupValue =
    copy(child = newChild)
}
