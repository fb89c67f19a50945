// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.feature

import org.apache.spark.sql.delta.TableFeature

import org.deltacollations.delta.patch.{Hook, HookKind}

/**
 * Tells Delta that our features need `domainMetadata`, so that it is not dropped under them. Delta
 * works this out once, which is too early where its classes were loaded before [[FeatureRegistry]].
 */
private[delta] object FeatureDependencies {

  val hook: Hook = Hook(
    name = "dependent-features",
    className = "org.apache.spark.sql.delta.TableFeature$",
    method = "getDependentFeatures",
    signatures = Seq("(sql.delta.TableFeature): immutable.Set"),
    kind = HookKind.ReplaceResult,
    degradation =
      "domainMetadata can be dropped from collated tables if Delta was loaded before the extension",
    replace = call => {
      val feature = call.arguments(0).asInstanceOf[TableFeature]
      val known = call.value.asInstanceOf[Set[TableFeature]]
      known ++ FeatureRegistry.features.filter(_.requiredFeatures.contains(feature))
    }
  )
}
