// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.feature

import org.apache.spark.sql.delta.TableFeature
import org.apache.spark.sql.delta.actions.Protocol

import org.deltacollations.delta.patch.{Hook, HookKind}

/**
 * Adds `collations` to the features Delta knows. Delta builds that list anew at every call and
 * offers no way to register one, and without it refuses to write any table that names the feature.
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

  /** Both names; a table has one of them or none. */
  def features: Seq[TableFeature] =
    Seq(CollationsTableFeature, CollationsPreviewTableFeature)

  /** Whether a table may have collated columns, or have had some. */
  def isSupported(protocol: Protocol): Boolean = features.exists(protocol.isFeatureSupported)

  /** A Delta that brings the feature itself keeps its own. */
  private def withCollations(known: Map[String, TableFeature]): Map[String, TableFeature] =
    features.map(feature => feature.name -> feature).toMap ++ known

  /** Whether Delta, asked by its own method, now knows the feature. */
  private def isRegistered: Boolean =
    features.forall(feature => TableFeature.featureNameToFeature(feature.name).isDefined)
}
