// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

/**
 * The collations of other systems, by name. Names are read by the grammar of each system rather
 * than looked up, since the systems have thousands of them.
 */
object CollationDialects {

  private val systems: Seq[CollationDialect] =
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

  /** No system has names as long as this, and no grammar should be let loose on a megabyte. */
  private val LongestName = 200

  private val Unknown = "No collation of this name is known here. Known are names of " +
    systems.map(_.system).mkString(", ") + "."

  /** One answer per system that has such a name; one that says so if none has. Never throws. */
  def collationFor(name: String): Seq[CollationMapping] = {
    val asked = Option(name).map(bare).filter(_.length <= LongestName)
    val known = for {
      text <- asked.toSeq
      system <- systems
      answer <- system.answer(text)
    } yield CollationMapping(
      name,
      system.system,
      answer.collation,
      answer.isExact,
      answer.differences.mkString(" ")
    )
    if (known.nonEmpty) known
    else Seq(CollationMapping(name, "unknown", None, isExact = false, Unknown))
  }

  private val quotes = Map('"' -> '"', '\'' -> '\'', '`' -> '`', '[' -> ']')

  /** Without the spaces and the quotes that come along when a name is copied from a statement. */
  private def bare(name: String): String = {
    val trimmed = name.trim
    val isQuoted = trimmed.length >= 2 && quotes.get(trimmed.head).contains(trimmed.last)
    if (isQuoted) trimmed.substring(1, trimmed.length - 1) else trimmed
  }
}
