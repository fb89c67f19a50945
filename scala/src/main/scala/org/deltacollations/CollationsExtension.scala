// SPDX-License-Identifier: Apache-2.0
package org.deltacollations

import org.apache.spark.sql.SparkSessionExtensions

import org.deltacollations.coercion.{
  CoerceSetOperations,
  CoerceUsingColumns,
  CoercionPatch,
  MixedCollations
}
import org.deltacollations.config.{BuildInfo, CollationsConf}
import org.deltacollations.delta.DeltaHooks
import org.deltacollations.delta.inspect.CollationTableFunctions
import org.deltacollations.delta.kernel.KernelConnectorCheck
import org.deltacollations.delta.layout.RangeIdsBySortKey
import org.deltacollations.delta.patch.DeltaPatch
import org.deltacollations.delta.refresh.AnalyzeStatement
import org.deltacollations.delta.scan.AttachScanReports
import org.deltacollations.delta.schema.KeepStreamTypes
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
import org.deltacollations.streaming.{StateKeyVersions, StatefulFunctionCheck, StatefulKeys}
import org.deltacollations.thriftserver.ThriftServerPatch

/**
 * The class that users list in `spark.sql.extensions`, after Delta's own: Delta's parser drops the
 * values of parameters, and the extension that is listed last wraps all other parsers.
 *
 * {{{
 *   parse      CollationsParser: collation names, parameters, ANALYZE … COMPUTE DELTA STATISTICS
 *   analyze    ResolveCollationNames, ResolveFunctionCalls, CoerceSetOperations, CoerceUsingColumns,
 *              KernelConnectorCheck, StatefulFunctionCheck
 *   normalize  KeepStreamTypes, RangeIdsBySortKey, CollationCorrectness, once, before the optimizer
 *   optimize   PushCollationSafeFilters; before join reordering: JoinOnCollationKeys, StatefulKeys,
 *              SortKeyRewrites
 *   plan       CollatedAggregationStrategy, DeferredRelationStrategy
 *   prepare    AttachScanReports, RewriteExpressions, StateKeyVersions
 * }}}
 *
 * Settings are registered, and Delta and the Thrift server are changed, once per JVM, no matter how often
 * the extension is listed. If Delta cannot be changed, the session fails with an error that says what to
 * do.
 */
class CollationsExtension extends (SparkSessionExtensions => Unit) {

  override def apply(extensions: SparkSessionExtensions): Unit = {
    BuildInfo.requireSupportedSpark()
    CollationsConf.register()
    DeltaPatch.install(DeltaHooks.all)
    CoercionPatch.install()
    MixedCollations.enableIn(extensions)
    ThriftServerPatch.install()

    extensions.injectParser((_, parser) => new CollationsParser(parser, AnalyzeStatement.parse))

    // Hint resolution rules run before Spark resolves functions.
    extensions.injectHintResolutionRule(_ => PlanFallback.forAnalyzerRule(ResolveCollationNames))
    extensions.injectResolutionRule(_ => ResolveFunctionCalls)
    extensions.injectResolutionRule(_ => PlanFallback.forAnalyzerRule(CoerceSetOperations))
    extensions.injectResolutionRule(_ => PlanFallback.forAnalyzerRule(CoerceUsingColumns))
    (CollationTableFunctions.all :+ CollationForFunction.description)
      .foreach(extensions.injectTableFunction)

    extensions.injectCheckRule(_ => KernelConnectorCheck)
    extensions.injectCheckRule(_ => StatefulFunctionCheck)

    // Plan normalization rules run once, before the first rule of the optimizer.
    extensions.injectPlanNormalizationRule(_ => PlanFallback.forAnalyzerRule(KeepStreamTypes))
    extensions.injectPlanNormalizationRule(_ => PlanFallback.forAnalyzerRule(RangeIdsBySortKey))
    extensions.injectPlanNormalizationRule(_ => CollationCorrectness)
    extensions.injectOptimizerRule(_ => PlanFallback.forRule(PushCollationSafeFilters))
    extensions.injectPreCBORule(_ => PlanFallback.forRule(JoinOnCollationKeys))
    extensions.injectPreCBORule(_ => PlanFallback.forRule(StatefulKeys))
    extensions.injectPreCBORule(_ => SortKeyRewrites)

    extensions.injectPlannerStrategy(session =>
      PlanFallback.forStrategy(CollatedAggregationStrategy(session))
    )
    extensions.injectPlannerStrategy(_ => DeferredRelationStrategy)

    PlanFallback.injectPhysicalRule(extensions, AttachScanReports)
    PlanFallback.injectPhysicalRule(extensions, RewriteExpressions)
    StateKeyVersions.inject(extensions)
  }
}
