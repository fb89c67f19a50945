// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

/** The names under which a table's protocol announces collated strings. */
object FeatureNames {

  /** RFC, "Collations Table Feature": writer-only, so readers that know nothing of it still read. */
  val Collations: String = "collations"

  /** RFC, "Domain metadata": where writers note the versions of the collations they used. */
  val Domain: String = "collations"

  /** What Databricks wrote before the name was settled; kept where it stands, never introduced. */
  val CollationsPreview: String = "collations-preview"
}
