// SPDX-License-Identifier: Apache-2.0
package org.deltacollations

import org.apache.spark.sql.SparkSessionExtensions

import org.deltacollations.catalyst.shield.{JoinKeys, PushThroughGroups, Shield}
import org.deltacollations.catalyst.speed.{FasterExpressions, GroupByKeys, KeyedPlans}
import org.deltacollations.catalyst.{CollationsParser, NameCollations, PlanFallback, ReportScans}
import org.deltacollations.delta.{DeltaPatch, ScanReports}
import org.deltacollations.sql.{CollationFunctions, RefreshStatement, Reports, ResolveCalls}

/**
 * The class users list in `spark.sql.extensions`, after Delta's own: Delta's parser drops the values of
 * parameters, and the extension listed last has the outer parser.
 *
 * What it does to the JVM is done once, however often it is listed and however many sessions there
 * are; it either leaves Delta able to handle collated strings or stops the session with an error
 * that says what to change.
 */
class CollationsExtension extends (SparkSessionExtensions => Unit) {

  override def apply(extensions: SparkSessionExtensions): Unit = {
    Platform.requireSupportedSpark()
    DeltaPatch.install()

    extensions.injectParser((_, parser) => new CollationsParser(parser, RefreshStatement.parse))
    // Rules for hints are the ones that run before Spark resolves functions.
    extensions.injectHintResolutionRule(_ => PlanFallback.forAnalyzerRule(NameCollations))
    PlanFallback.injectPhysicalRule(extensions, ReportScans(ScanReports.of))
    PlanFallback.injectPhysicalRule(extensions, FasterExpressions)
    // Rules that make plans comparable are the ones that run before the optimizer.
    extensions.injectPlanNormalizationRule(_ => Shield)
    extensions.injectOptimizerRule(_ => PlanFallback.forRule(PushThroughGroups))
    extensions.injectPreCBORule(_ => PlanFallback.forRule(JoinKeys))
    extensions.injectPreCBORule(_ => KeyedPlans)
    extensions.injectPlannerStrategy(session => PlanFallback.forStrategy(GroupByKeys(session)))
    extensions.injectPlannerStrategy(_ => Reports)
    extensions.injectResolutionRule(_ => ResolveCalls)
    CollationFunctions.all.foreach(extensions.injectTableFunction)
  }
}
