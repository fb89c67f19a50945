// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

/** Names of the collations table feature and of its metadata domain. */
object FeatureNames {

  /** RFC, "Collations Table Feature". It is a writer feature, so every reader can read the table. */
  val Collations: String = "collations"

  /** RFC, "Domain metadata": the domain that lists the collation versions of writers. */
  val Domain: String = "collations"

  /** The name that Databricks used before the RFC. It is kept in tables that have it, never added. */
  val CollationsPreview: String = "collations-preview"
}
