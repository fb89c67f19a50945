// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

/**
 * The identifier of a collation in the Delta log: `provider.name` in the schema and
 * `provider.name.version` in statistics. RFC, "Collation identifiers".
 */
final case class CollationId(provider: String, name: String, version: Option[String] = None) {

  /** Returns the form for the schema, which pins no version: readers may use any. */
  def unversioned: CollationId = copy(version = None)

  override def toString: String = (Seq(provider, name) ++ version).mkString(".")
}

object CollationId {

  /** Parses an identifier. Everything after the second dot is the version, including its dots. */
  def parse(text: String): Option[CollationId] = text.split("\\.", 3).toSeq match {
    case parts if parts.exists(_.isEmpty) => None
    case Seq(provider, name) => Some(CollationId(provider, name))
    case Seq(provider, name, version) => Some(CollationId(provider, name, Some(version)))
    case _ => None
  }
}
