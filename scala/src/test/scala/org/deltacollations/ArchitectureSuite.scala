// SPDX-License-Identifier: Apache-2.0
package org.deltacollations

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.deltacollations.ArchitectureSuite._
import org.scalatest.funsuite.AnyFunSuite

/** Checks which packages and libraries each package uses. `scala/README.md` shows the same table. */
class ArchitectureSuite extends AnyFunSuite {

  test("every package uses only the packages and libraries of its row") {
    assert(sources.flatMap(violations(_, rows)) === Nil)
  }

  test("every package has a row, and every row has a package") {
    assert(sources.map(_.packageName).toSet === rows.map(_.packageName).toSet)
  }

  test("packages do not depend on each other in a cycle") {
    assert(cycles(rows) === Nil)
  }

  test("a package has at most 15 files, and a file at most 400 lines") {
    val tooLarge = sources.groupBy(_.packageName).filter(_._2.size > MaxFiles).keys.toSeq
    val tooLong = sources.filter(_.text.linesIterator.size > MaxLines).map(_.name)
    assert(tooLarge ++ tooLong === Nil)
  }

  test("only the collation package uses Spark's CollationFactory and CollationSupport") {
    val users = sources.filterNot(_.packageName.matches("collation(\\..*)?"))
      .filter(source =>
        "\\b(CollationFactory|CollationSupport)\\b".r.findFirstIn(source.code).nonEmpty
      )
    assert(users.map(_.name) === Nil)
  }

  test("scala/README.md shows the same table") {
    val readme = Files.readString(Path.of("README.md"))
    val missing = rows.map(_.markdown).filterNot(readme.contains)
    assert(missing.mkString("\n") === "")
  }

  test("planted violations are found") {
    def found(packageName: String, code: String): Seq[String] =
      violations(Source(packageName, "Planted.scala", code), rows)

    assert(found("protocol", "import org.apache.spark.sql.types.StringType") === Nil)
    assert(found("protocol", "import org.apache.spark.sql.SparkSession").nonEmpty)
    assert(found("protocol", "import org.deltacollations.delta.scan.ScanReport").nonEmpty)
    assert(found("protocol", "import org.deltacollations.{delta, errors}").nonEmpty)
    assert(found("config", "val version = io.delta.VERSION").nonEmpty)
    assert(found("optimizer.correctness", "import org.deltacollations.optimizer.speed.RewriteJoin")
      .nonEmpty)
    assert(found("collation.sortkey", "// org.apache.spark.sql.SparkSession is not used") === Nil)
    assert(found("collation.sortkey", "import com.example.library.Thing").nonEmpty)
  }

  test("a planted cycle is found") {
    val planted = rows.map { row =>
      if (row.packageName == "protocol") row.copy(ours = row.ours + "delta.inspect") else row
    }
    assert(cycles(planted).nonEmpty)
  }
}

object ArchitectureSuite {

  private val MaxFiles = 15
  private val MaxLines = 400

  /** The packages of Spark and of other libraries, by the name that a row uses for them. */
  private val libraries: Map[String, Seq[String]] = Map(
    "CAT" -> Seq("org.apache.spark.sql.catalyst"),
    "`catalyst.util`" -> Seq("org.apache.spark.sql.catalyst.util"),
    "EXEC" -> Seq("org.apache.spark.sql.execution"),
    "DELTA" -> Seq("org.apache.spark.sql.delta", "io.delta"),
    "SQL" -> Seq("org.apache.spark.sql.connector", "org.apache.spark.sql.functions"),
    "`sql.classic`" -> Seq("org.apache.spark.sql.classic"),
    "`sql.internal`" -> Seq("org.apache.spark.sql.internal"),
    "`spark.internal`" -> Seq("org.apache.spark.internal"),
    "`spark.memory`" -> Seq("org.apache.spark.memory"),
    "`spark.util`" -> Seq("org.apache.spark.util"),
    "ANTLR" -> Seq("org.antlr"),
    "ASM" -> Seq("org.apache.xbean.asm9"),
    "Guava" -> Seq("com.google.common"),
    "Hadoop" -> Seq("org.apache.hadoop"),
    "ICU" -> Seq("com.ibm.icu"),
    "Jackson" -> Seq("com.fasterxml.jackson"),
    "SLF4J" -> Seq("org.slf4j"),
    "`com.sun.tools.attach`" -> Seq("com.sun.tools.attach")
  )

  /** Classes directly in these packages belong to `SQL`; their subpackages do not. */
  private val sqlPackages = Set("org.apache.spark", "org.apache.spark.sql")

  /** Every package may use these. */
  private val always = Seq("org.apache.spark.unsafe", "org.apache.spark.sql.types")

  /** One row of the table: what a package may use, besides the JDK, Scala and [[always]]. */
  final case class Row(packageName: String, ours: Set[String], others: Set[String]) {

    def markdown: String = {
      def cell(names: Set[String], quote: String): String =
        if (names.isEmpty) "–"
        else names.toSeq.sorted.map(name => s"$quote$name$quote").mkString(", ")
      s"| `$packageName` | ${cell(ours, "`")} | ${cell(others, "")} |"
    }
  }

  private def row(packageName: String, ours: String, others: String): Row = {
    def names(list: String): Set[String] = list.split(", ").filter(_.nonEmpty).toSet
    Row(packageName, names(ours), names(others))
  }

  val rows: Seq[Row] = Seq(
    row("errors", "", "SQL"),
    row("config", "errors", "SQL, `sql.internal`, `spark.internal`"),
    row("fallback", "", "CAT, EXEC, SQL, `spark.internal`"),
    row("protocol", "errors", "Jackson"),
    row("collation.unicode", "", ""),
    row("collation.segment", "collation.unicode", "ICU"),
    row("collation.sortkey", "collation.segment, collation.unicode", "ICU"),
    row("collation.search", "collation.segment, collation.unicode", "ICU"),
    row("collation", "protocol, collation.search, collation.sortkey", "ICU, `catalyst.util`"),
    row(
      "collation.versions",
      "protocol, collation, collation.unicode",
      "ICU, `catalyst.util`, SQL"
    ),
    row("expressions", "collation, collation.search, collation.sortkey", "CAT"),
    row("functions", "errors", "CAT, EXEC, SQL"),
    row("parser", "collation, fallback, protocol", "ANTLR, CAT, SQL, `sql.internal`"),
    row("dialects", "collation, functions", "CAT, SQL"),
    row("optimizer", "collation", "CAT"),
    row("optimizer.correctness", "collation, config, fallback, optimizer", "CAT, SQL"),
    row(
      "optimizer.speed",
      "collation, config, expressions, fallback, optimizer",
      "CAT, EXEC, SQL, `spark.memory`, `spark.util`, `sql.classic`"
    ),
    row(
      "streaming",
      "collation, config, errors, expressions, fallback, optimizer, optimizer.speed, protocol",
      "CAT, EXEC, Guava, Hadoop, Jackson, SQL, `spark.internal`, `sql.classic`"
    ),
    row("patch", "errors", "ASM, SLF4J, `com.sun.tools.attach`"),
    row(
      "coercion",
      "collation, config, fallback, patch",
      "CAT, SLF4J, SQL, `sql.classic`, `sql.internal`"
    ),
    row("thriftserver", "collation, patch", "SLF4J, SQL, `sql.classic`"),
    row("delta.patch", "config, errors, patch", "DELTA"),
    row("delta.util", "", "CAT, DELTA, SQL, `sql.classic`"),
    row("delta.feature", "collation, errors, patch, protocol", "DELTA, SQL"),
    row(
      "delta.schema",
      "collation, errors, patch, protocol",
      "CAT, DELTA, SLF4J, SQL"
    ),
    row(
      "delta.kernel",
      "collation, delta.schema, errors, fallback, patch, protocol",
      "CAT, DELTA, EXEC, SQL"
    ),
    row(
      "delta.stats",
      "collation, collation.unicode, collation.versions, config, delta.feature, delta.patch, " +
        "delta.util, expressions, patch, protocol",
      "CAT, DELTA, SLF4J, SQL"
    ),
    row(
      "delta.scan",
      "collation, config, delta.feature, patch",
      "CAT, DELTA, EXEC, Guava, SLF4J, SQL, `spark.util`"
    ),
    row(
      "delta.skipping",
      "collation, config, delta.feature, delta.scan, delta.stats, delta.util, patch, protocol",
      "CAT, DELTA, EXEC, Guava, SQL"
    ),
    row(
      "delta.layout",
      "collation, config, delta.util, expressions, patch, protocol",
      "CAT, DELTA"
    ),
    row(
      "delta.commit",
      "collation, delta.feature, delta.stats, patch, protocol",
      "DELTA, SQL"
    ),
    row(
      "delta.refresh",
      "delta.stats, delta.util, parser, protocol",
      "ANTLR, CAT, DELTA, EXEC, SQL"
    ),
    row(
      "delta.inspect",
      "collation, delta.refresh, delta.scan, delta.stats, delta.util, errors, functions, protocol",
      "CAT, DELTA, SQL, `sql.classic`"
    ),
    row(
      "delta",
      "delta.commit, delta.feature, delta.kernel, delta.layout, delta.scan, delta.schema, " +
        "delta.skipping, delta.stats, patch",
      ""
    ),
    row(
      ".",
      "coercion, config, delta, delta.inspect, delta.kernel, delta.layout, delta.patch, " +
        "delta.refresh, delta.scan, delta.schema, dialects, fallback, functions, " +
        "optimizer.correctness, optimizer.speed, parser, streaming, thriftserver",
      "SQL"
    )
  )

  final case class Source(packageName: String, name: String, text: String) {

    /** The source without comments and string literals. */
    def code: String =
      "(?s)/\\*.*?\\*/|//[^\\n]*|\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*\"".r.replaceAllIn(
        text,
        ""
      )
  }

  private val root = "org.deltacollations"

  lazy val sources: Seq[Source] = {
    val walk = Files.walk(Path.of("src/main"))
    try
      walk.iterator.asScala.filter(_.toString.matches(".*/org/deltacollations/.*\\.(scala|java)"))
        .map { path =>
          val text = Files.readString(path)
          val declared = "(?m)^package ([\\w.]+)".r.findFirstMatchIn(text).get.group(1)
          Source(shortName(declared), path.getFileName.toString, text)
        }.toList
    finally walk.close()
  }

  private def shortName(packageName: String): String =
    if (packageName == root) "." else packageName.stripPrefix(root + ".")

  private val QualifiedName =
    "\\b(?:org|com|io)(?:\\.[a-z]\\w*)+(?:\\.(?:[A-Z]\\w*|\\{[^}]*\\}))?".r

  /** Returns what a source uses and its row does not list. */
  def violations(source: Source, rows: Seq[Row]): Seq[String] = {
    val allowed = rows.find(_.packageName == source.packageName)
    QualifiedName.findAllIn(source.code).toSeq.distinct
      .filterNot(_ == s"$root.${source.packageName}")
      .flatMap(packagesOf).distinct
      .filterNot(used => allowed.exists(isAllowed(source.packageName, used, _)))
      .map(used => s"${source.packageName}/${source.name} uses $used")
  }

  /** Returns the packages of a qualified name: several for `org.deltacollations.{delta, errors}`. */
  private def packagesOf(name: String): Seq[String] = {
    val prefix = name.split("\\.(?=[A-Z{])").head
    val selected = "\\{([^}]*)\\}".r.findFirstMatchIn(name).toSeq
      .flatMap(_.group(1).split(",")).map(_.trim).filter(_.headOption.exists(_.isLower))
    if (selected.isEmpty) Seq(prefix) else selected.map(each => s"$prefix.$each")
  }

  private def isAllowed(own: String, used: String, row: Row): Boolean = {
    def isIn(library: String): Boolean = used == library || used.startsWith(library + ".")
    if (used == root || used.startsWith(root + ".")) {
      val other = shortName(used)
      other == own || row.ours(other)
    } else if (sqlPackages(used)) row.others("SQL")
    else
      always.exists(isIn) || row.others.exists(name => libraries(name).exists(isIn))
  }

  /** Returns the packages that cannot be ordered, because they depend on each other. */
  @scala.annotation.tailrec
  def cycles(rows: Seq[Row]): Seq[String] = {
    val (free, rest) = rows.partition(row => !rows.exists(other => row.ours(other.packageName)))
    if (free.isEmpty) rest.map(_.packageName) else cycles(rest)
  }
}
