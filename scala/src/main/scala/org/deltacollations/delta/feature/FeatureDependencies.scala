// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.feature

import org.apache.spark.sql.delta.TableFeature

import org.deltacollations.patch.{Hook, HookKind}

/**
 * Adds the collations features to those that depend on `domainMetadata`, so that Delta names them when
 * it rejects `DROP FEATURE domainMetadata`. Delta computes the dependencies only once, which is too early
 * if its classes were loaded before [[FeatureRegistry]] was applied. It would then add `domainMetadata`
 * back to the protocol and reject the statement as a protocol downgrade.
 */
private[delta] object FeatureDependencies {

  val hook: Hook = Hook(
    name = "dependent-features",
    className = "org.apache.spark.sql.delta.TableFeature$",
    method = "getDependentFeatures",
    signatures = Seq("(sql.delta.TableFeature): immutable.Set"),
    kind = HookKind.ReplaceResult,
    degradation =
      "the error for dropping domainMetadata from a collated table does not name collations " +
        "if Delta was loaded before the extension",
    replace = call => {
      val feature = call.arguments(0).asInstanceOf[TableFeature]
      val dependents = call.value.asInstanceOf[Set[TableFeature]]
      dependents ++ FeatureRegistry.features.filter(_.requiredFeatures.contains(feature))
    }
  )
}
