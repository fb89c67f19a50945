// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

/**
 * A collation as the Delta log names it: `provider.name` in the schema, `provider.name.version`
 * beside statistics. See the RFC, "Collation identifiers".
 */
final case class CollationId(provider: String, name: String, version: Option[String] = None) {

  /** The schema form: readers may use any version, so none is pinned. */
  def unversioned: CollationId = copy(version = None)

  override def toString: String = (Seq(provider, name) ++ version).mkString(".")
}

object CollationId {

  /** Reads `text`. Everything after the second dot is the version, which may hold dots itself. */
  def parse(text: String): Option[CollationId] = text.split("\\.", 3).toSeq match {
    case parts if parts.exists(_.isEmpty) => None
    case Seq(provider, name) => Some(CollationId(provider, name))
    case Seq(provider, name, version) => Some(CollationId(provider, name, Some(version)))
    case _ => None
  }
}
