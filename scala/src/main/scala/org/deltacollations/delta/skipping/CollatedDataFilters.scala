// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import org.apache.spark.sql.catalyst.expressions.Expression

import org.deltacollations.config.CollationsConf
import org.deltacollations.delta.util.ColumnConversions
import org.deltacollations.patch.{Hook, HookKind}

/**
 * Adds collated predicates to Delta's filter of files, where Delta itself cannot use a predicate.
 *
 * Delta builds this filter for every kind of statement. [[CollatedFileFilter]] evaluates the collated
 * predicates in it.
 */
private[delta] object CollatedDataFilters {

  val hook: Hook = Hook(
    name = "skipping-data-filters",
    className = "org.apache.spark.sql.delta.stats.DataFiltersBuilder",
    olderClassName = // before 4.2
      Some("org.apache.spark.sql.delta.stats.DataSkippingReaderBase$DataFiltersBuilder"),
    method = "constructDataFilters",
    signatures = Seq(
      "(sql.catalyst.expressions.Expression, java.lang.Integer): scala.Option",
      "(sql.catalyst.expressions.Expression): scala.Option"
    ),
    kind = HookKind.ReplaceResult,
    degradation = "files are not skipped by filters on collated columns",
    requires = Set("skipping-bounds-column", "skipping-bounds-cache", "skipping-file-filter"),
    replace = call =>
      call.value match {
        case None if CollationsConf.SkippingEnabled.isEnabled =>
          SkippingPredicateBuilder.of(call.arguments.head.asInstanceOf[Expression])
            .map(condition => DataSkippingAccess.predicate(ColumnConversions.of(condition)))
        case deltaFilter => deltaFilter
      }
  )
}
