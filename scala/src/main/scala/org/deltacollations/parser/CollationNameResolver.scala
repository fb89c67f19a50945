// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.parser

import org.apache.spark.sql.catalyst.util.CollationFactory

import org.deltacollations.collation.SparkCollations
import org.deltacollations.protocol.CollationId

/** A collation as a user writes it: Spark's name, bare or in full, or an identifier of the log. */
object CollationNameResolver {

  /** Spark's own condition for a name that it does not know. */
  val InvalidName: String = "COLLATION_INVALID_NAME"

  /** The name to give Spark, or the parameters of [[InvalidName]]. */
  def named(parts: Seq[String]): Either[Map[String, String], String] = {
    val found = parts match {
      case Seq(name) => knownToSpark(name)
      case Seq(provider, name) => SparkCollations.nameOf(CollationId(provider, name))
      case Seq(catalog, schema, name)
          if catalog.equalsIgnoreCase(CollationFactory.CATALOG) &&
            schema.equalsIgnoreCase(CollationFactory.SCHEMA) =>
        knownToSpark(name)
      case _ => None
    }
    found.toRight(
      Map("collationName" -> parts.mkString("."), "proposals" -> proposals(parts))
    )
  }

  /** As it was written, because Spark shows it so in the name of a column. */
  private def knownToSpark(name: String): Option[String] =
    SparkCollations.canonicalName(name).map(_ => name)

  /** A version cannot be asked for: a query uses the one that is there. */
  private def proposals(parts: Seq[String]): String = {
    val unversioned = parts.take(2)
    if (parts.size > 2 && named(unversioned).isRight) unversioned.mkString(".")
    else CollationFactory.getClosestSuggestionsOnInvalidName(parts.last, 3)
  }
}
