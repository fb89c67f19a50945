// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.layout

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.delta.expressions.RangePartitionId

import org.deltacollations.collation.{CoarserCollations, CollatedString, SparkSortKeys}
import org.deltacollations.config.CollationsConf
import org.deltacollations.expressions.SortKey

/**
 * Makes `OPTIMIZE` compare sort keys when it lays out files by a collated column. For each row, Delta
 * searches the range that contains the value, which takes about ten comparisons. Spark's own comparison
 * decodes both strings every time.
 *
 * The keys are those of the collation of the bounds. It has the order of the column, except for
 * collations that are not a total order: no layout has their order.
 *
 * Must run before Delta replaces the expression in the optimizer. Delta samples the values of the
 * expression then, so the limits of the ranges are sort keys, too.
 */
private[deltacollations] object RangeIdsBySortKey extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!CollationsConf.SpeedEnabled.isEnabled || !CollationsConf.SpeedLayout.isEnabled) plan
    else
      plan.transformAllExpressions { case id @ RangePartitionId(value, _) =>
        sortKey(value).fold(id)(key => id.copy(child = key))
      }

  private def sortKey(value: Expression): Option[SortKey] =
    for {
      string <- CollatedString.unapply(value.dataType)
      ofBounds <- CoarserCollations.forStatistics(string)
      keys = SparkSortKeys(CollatedString.nameOf(ofBounds))
      if keys.agreesWithComparator
    } yield SortKey(value, keys)
}
