// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

/**
 * The Spark collation for a collation of another system.
 *
 * @param name
 *   the requested name, verbatim
 * @param system
 *   the system that has a collation of this name, or `unknown`
 * @param collation
 *   the name of the nearest Spark collation, if there is one
 * @param isExact
 *   whether both collations order all pairs of valid UTF-8 strings alike
 * @param differences
 *   sentences that describe how the two collations differ
 */
final case class CollationMapping(
    name: String,
    system: String,
    collation: Option[String],
    isExact: Boolean,
    differences: String
)

/**
 * Finds Spark collations for the collation names of other systems. Parses the names by the grammar of
 * each system instead of listing them, because the systems have thousands.
 */
object CollationDialects {

  private val dialects: Seq[CollationDialect] =
    Seq(
      SqlServerDialect,
      SnowflakeDialect,
      MySqlDialect,
      OracleDialect,
      PostgresDialect,
      BigQueryDialect,
      SqliteDialect,
      DuckDbDialect
    )

  /** Longer than the names of all systems. Limits the work of the regular expressions. */
  private val MaxNameLength = 200

  private val Unknown = "No supported system has a collation of this name. Supported systems: " +
    dialects.map(_.system).mkString(", ") + "."

  /**
   * Returns one mapping per system that has a collation of this name, or a single mapping for the
   * system `unknown`. Never throws.
   */
  def collationFor(name: String): Seq[CollationMapping] = {
    val mappings = for {
      unquotedName <- Option(name).map(unquoted).filter(_.length <= MaxNameLength).toSeq
      dialect <- dialects
      found <- dialect.resolve(unquotedName)
    } yield CollationMapping(
      name,
      dialect.system,
      found.collation,
      found.isExact,
      found.differences.mkString(" ")
    )
    if (mappings.nonEmpty) mappings
    else Seq(CollationMapping(name, "unknown", None, isExact = false, Unknown))
  }

  private val quotes = Map('"' -> '"', '\'' -> '\'', '`' -> '`', '[' -> ']')

  /** Removes white space and quotes, which a name copied from a statement often has. */
  private def unquoted(name: String): String = {
    val trimmed = name.trim
    val isQuoted = trimmed.length >= 2 && quotes.get(trimmed.head).contains(trimmed.last)
    if (isQuoted) trimmed.substring(1, trimmed.length - 1) else trimmed
  }
}
