// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.feature

import org.apache.spark.sql.delta.TableFeature
import org.apache.spark.sql.delta.actions.Protocol

import org.deltacollations.patch.{Hook, HookKind}

/**
 * Registers the collations features with Delta, which otherwise rejects writes to tables that support
 * them. Delta has no extension point for table features and builds its map of features at every call,
 * so this hook extends the result.
 */
private[delta] object FeatureRegistry {

  val hook: Hook = Hook(
    name = "feature-registry",
    className = "org.apache.spark.sql.delta.TableFeature$",
    method = "allSupportedFeaturesMap",
    signatures = Seq("(): immutable.Map"),
    kind = HookKind.ReplaceResult,
    degradation = "tables with a collated column cannot be written",
    required = true,
    replace = call => withCollations(call.value.asInstanceOf[Map[String, TableFeature]]),
    verify = () => isRegistered
  )

  /** Both names of the feature. A table supports at most one of them. */
  def features: Seq[TableFeature] =
    Seq(CollationsTableFeature, CollationsPreviewTableFeature)

  /** Returns whether the table has or had collated columns. */
  def isSupported(protocol: Protocol): Boolean = features.exists(protocol.isFeatureSupported)

  /** Keeps Delta's own features: a later release may have a collations feature itself. */
  private def withCollations(supported: Map[String, TableFeature]): Map[String, TableFeature] =
    features.map(feature => feature.name -> feature).toMap ++ supported

  /** Returns whether Delta itself finds the features. */
  private def isRegistered: Boolean =
    features.forall(feature => TableFeature.featureNameToFeature(feature.name).isDefined)
}
