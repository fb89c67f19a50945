// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.parser

import org.deltacollations.collation.SparkCollations
import org.deltacollations.protocol.CollationId

/**
 * Resolves a collation name in SQL: Spark's name, `UNICODE_CI` or `SYSTEM.BUILTIN.UNICODE_CI`, or an
 * identifier of the Delta log, `icu.UNICODE_CI`.
 */
object CollationNameResolver {

  /** Spark's error condition for an unknown collation. */
  val InvalidName: String = "COLLATION_INVALID_NAME"

  /** Returns the name to pass to Spark, or the parameters of an [[InvalidName]] error. */
  def resolve(parts: Seq[String]): Either[Map[String, String], String] = {
    val resolved = parts match {
      case Seq(name) => verbatim(name)
      case Seq(provider, name) => SparkCollations.nameOf(CollationId(provider, name))
      case Seq(catalog, schema, name) if SparkCollations.isBuiltinNamespace(catalog, schema) =>
        verbatim(name)
      case _ => None
    }
    resolved.toRight(
      Map("collationName" -> parts.mkString("."), "proposals" -> proposals(parts))
    )
  }

  /** Keeps the user's spelling, because Spark shows it in column names. */
  private def verbatim(name: String): Option[String] =
    SparkCollations.canonicalName(name).map(_ => name)

  /** Proposes the name without its version if that is valid: queries always use the current version. */
  private def proposals(parts: Seq[String]): String = {
    val unversioned = parts.take(2)
    if (parts.size > 2 && resolve(unversioned).isRight) unversioned.mkString(".")
    else SparkCollations.suggestions(parts.last)
  }
}
