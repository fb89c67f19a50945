// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import java.util.Locale

import scala.jdk.OptionConverters._
import scala.util.Try

import org.apache.spark.sql.catalyst.util.CollationFactory
import org.apache.spark.sql.types.StringType

import org.deltacollations.protocol.CollationId

/** Looks up Spark's collations, by name and by the identifiers that any writer puts into the log. */
object SparkCollations {

  def isUtf8Binary(string: StringType): Boolean =
    string.collationId == CollationFactory.UTF8_BINARY_COLLATION_ID

  /** Returns whether the collation is `UTF8_LCASE`, with or without `RTRIM`. */
  def isUtf8Lcase(string: StringType): Boolean =
    CollationFactory.fetchCollation(string.collationId).isUtf8LcaseType

  /** Whether `catalog` and `schema` qualify the names of Spark's collations: `SYSTEM.BUILTIN`. */
  def isBuiltinNamespace(catalog: String, schema: String): Boolean =
    catalog.equalsIgnoreCase(CollationFactory.CATALOG) &&
      schema.equalsIgnoreCase(CollationFactory.SCHEMA)

  /** Returns a collation name as Spark spells it, or `None` if Spark does not have the collation. */
  def canonicalName(name: String): Option[String] =
    Try(CollationFactory.collationNameToId(name)).toOption
      .map(id => CollationFactory.fetchCollation(id).collationName)

  /** Returns the names that Spark suggests instead of an invalid one. */
  def suggestions(invalidName: String): String =
    CollationFactory.getClosestSuggestionsOnInvalidName(invalidName, MaxSuggestions)

  /** As many as Spark's own error messages have. */
  private val MaxSuggestions = 3

  /** Returns the identifier that Spark writes into a schema for the collation `name`. */
  def identifier(name: String): CollationId = {
    val collation = CollationFactory.fetchCollation(name)
    CollationId(collation.provider, collation.collationName)
  }

  /** Returns the identifier for statistics, which always has the current ICU version. */
  def versionedId(string: StringType): CollationId = {
    val current = CollationFactory.fetchCollation(string.collationId).identifier
    CollationId(current.getProvider, current.getName, current.getVersion.toScala)
  }

  /**
   * Returns Spark's name of the collation that orders as `id` does.
   *
   * Case is ignored, and so is the version, because a schema does not pin one. A locale that ICU
   * supports but Spark does not list, such as `ICU.de_DE`, resolves as [[LocaleResolver]] says.
   * Returns `None` for an unsupported collation, whose order must not be guessed.
   */
  def nameOf(id: CollationId): Option[String] =
    id.provider.toLowerCase(Locale.ROOT) match {
      // Spark searches for similar names, which takes long for a long name.
      case _ if id.name.length > MaxNameLength => None
      case CollationFactory.PROVIDER_SPARK => canonicalName(id.name)
      case CollationFactory.PROVIDER_ICU =>
        canonicalName(id.name).orElse(withResolvedLocale(id.name))
      case _ => None
    }

  /** Longer than the name of any locale with all suffixes. */
  private val MaxNameLength = 100

  /** A locale and the suffixes of a collation name. ICU would ignore other characters in a locale. */
  private val LocaleAndSuffixes = "(?i)([a-z0-9_-]+?)((?:_(?:CI|CS|AI|AS|RTRIM))*)".r

  private def withResolvedLocale(name: String): Option[String] = name match {
    case LocaleAndSuffixes(locale, suffixes) =>
      LocaleResolver.resolveExisting(locale).flatMap(found => canonicalName(found + suffixes))
    case _ => None
  }
}
