// SPDX-License-Identifier: Apache-2.0
package org.deltacollations

import org.apache.spark.sql.SparkSessionExtensions

import org.deltacollations.config.BuildInfo
import org.deltacollations.delta.DeltaHooks
import org.deltacollations.delta.inspect.CollationTableFunctions
import org.deltacollations.delta.patch.DeltaPatch
import org.deltacollations.delta.refresh.AnalyzeStatement
import org.deltacollations.delta.scan.AttachScanReports
import org.deltacollations.dialects.CollationForFunction
import org.deltacollations.fallback.PlanFallback
import org.deltacollations.functions.{DeferredRelationStrategy, ResolveFunctionCalls}
import org.deltacollations.optimizer.correctness.{
  CollationCorrectness,
  JoinOnCollationKeys,
  PushCollationSafeFilters
}
import org.deltacollations.optimizer.speed.{
  CollatedAggregationStrategy,
  RewriteExpressions,
  SortKeyRewrites
}
import org.deltacollations.parser.{CollationsParser, ResolveCollationNames}

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
    BuildInfo.requireSupportedSpark()
    DeltaPatch.install(DeltaHooks.all)

    extensions.injectParser((_, parser) => new CollationsParser(parser, AnalyzeStatement.parse))
    // Rules for hints are the ones that run before Spark resolves functions.
    extensions.injectHintResolutionRule(_ => PlanFallback.forAnalyzerRule(ResolveCollationNames))
    PlanFallback.injectPhysicalRule(extensions, AttachScanReports)
    PlanFallback.injectPhysicalRule(extensions, RewriteExpressions)
    // Rules that make plans comparable are the ones that run before the optimizer.
    extensions.injectPlanNormalizationRule(_ => CollationCorrectness)
    extensions.injectOptimizerRule(_ => PlanFallback.forRule(PushCollationSafeFilters))
    extensions.injectPreCBORule(_ => PlanFallback.forRule(JoinOnCollationKeys))
    extensions.injectPreCBORule(_ => SortKeyRewrites)
    extensions.injectPlannerStrategy(session =>
      PlanFallback.forStrategy(CollatedAggregationStrategy(session))
    )
    extensions.injectPlannerStrategy(_ => DeferredRelationStrategy)
    extensions.injectResolutionRule(_ => ResolveFunctionCalls)
    (CollationTableFunctions.all :+ CollationForFunction.description)
      .foreach(extensions.injectTableFunction)
  }
}
