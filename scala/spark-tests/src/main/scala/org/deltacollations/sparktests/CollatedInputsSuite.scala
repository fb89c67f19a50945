// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.sparktests

import java.io.File
import java.nio.file.Files
import java.util.Locale

import scala.util.control.NonFatal
import scala.util.matching.Regex

import org.apache.spark.SparkConf
import org.apache.spark.sql.SQLQueryTestHelper
import org.apache.spark.sql.catalyst.expressions.CodegenObjectFactoryMode
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.functions.{col, lit, pmod, upper, when, xxhash64}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.test.SharedSparkSession
import org.apache.spark.sql.types._

import org.deltacollations.sparktests.CollatedInputsSuite._

/**
 * Runs the inputs of Spark's `SQLQueryTestSuite` on collated strings, and compares the results with
 * those of Spark alone.
 *
 * Each temporary view is replaced by one with collated strings, about half of whose rows are in
 * upper case. String columns of tables get the collation as well.
 */
class CollatedInputsSuite extends SharedSparkSession with ResultComparison with SQLQueryTestHelper {

  // Code generation for thousands of small plans would take most of the time. Spark's own suites
  // cover generated code.
  override protected def sparkConf: SparkConf = super.sparkConf
    .set(SQLConf.SHUFFLE_PARTITIONS.key, "2")
    .set(SQLConf.WHOLESTAGE_CODEGEN_ENABLED.key, "false")
    .set(SQLConf.CODEGEN_FACTORY_MODE.key, CodegenObjectFactoryMode.NO_CODEGEN.toString)

  inputs.foreach { case (name, file) =>
    test(name)(compareResults(file, Collations(name.length % Collations.size)))
  }

  private def compareResults(file: File, collation: String): Unit = {
    val session = spark.newSession()
    val (comments, code) = splitCommentsAndCodes(Files.readString(file.toPath))
    getSparkSettings(comments).foreach { case (key, value) => session.conf.set(key, value) }
    var isCollated = code.exists(_.toLowerCase(Locale.ROOT).contains("collat"))
    val differences = getQueries(code, comments, Nil).flatMap { statement =>
      if (!isQuery(statement)) {
        isCollated |= execute(session, statement, collation)
        None
      } else if (isCollated) compare(session, statement).left.toOption
      else None
    }
    dropEverything()
    if (differences.nonEmpty) fail(differences.mkString("\n", "\n\n", "\n"))
  }

  /**
   * Runs a statement that is not a query, and returns whether it has created a collated relation.
   * Inputs contain statements that fail on purpose.
   */
  private def execute(session: SparkSession, statement: String, collation: String): Boolean =
    try {
      val collated = statement match {
        case CreateTable() => StringColumn.replaceAllIn(statement, s"STRING COLLATE $collation")
        case _ => statement
      }
      session.sql(collated).collect()
      collated != statement || CreateView.findFirstMatchIn(statement).exists(view =>
        collateView(session, view.group(1), collation)
      )
    } catch {
      case NonFatal(_) => false
    }

  private def collateView(session: SparkSession, name: String, collation: String): Boolean = {
    val view = session.table(name)
    val hashed =
      view.schema.filter(field => isHashable(field.dataType)).map(f => col(s"`${f.name}`"))
    val isUpper = pmod(xxhash64(hashed: _*), lit(2)) === 0
    val columns = view.schema.map { field =>
      val value = col(s"`${field.name}`")
      val mixedCase = field.dataType match {
        case StringType if hashed.nonEmpty => when(isUpper, upper(value)).otherwise(value)
        case _ => value
      }
      mixedCase.cast(collated(field.dataType, collation)).as(field.name)
    }
    val hasStrings =
      view.schema.exists(field => collated(field.dataType, collation) != field.dataType)
    if (hasStrings) view.select(columns: _*).createOrReplaceTempView(name)
    hasStrings
  }

  private def dropEverything(): Unit = {
    val catalog = spark.sessionState.catalog
    catalog.listDatabases().filter(_ != "default").foreach(
      catalog.dropDatabase(_, ignoreIfNotExists = true, cascade = true)
    )
    catalog.listTables("default").foreach(
      catalog.dropTable(_, ignoreIfNotExists = true, purge = true)
    )
    spark.sharedState.cacheManager.clearCache()
  }

  private def inputs: Seq[(String, File)] = {
    val folder =
      getWorkspaceFilePath("sql", "core", "src", "test", "resources", "sql-tests", "inputs").toFile
    listFilesRecursively(folder)
      .map(file => folder.toURI.relativize(file.toURI).getPath -> file)
      .filterNot { case (name, _) => Excluded.exists(name.startsWith) }
      .sortBy(_._1)
  }
}

object CollatedInputsSuite {

  private val Collations = Seq("UTF8_LCASE", "UNICODE_CI")

  /**
   * Inputs that call functions which only `SQLQueryTestSuite` registers. Other inputs contain the
   * same queries.
   */
  private val Excluded = Seq("udf/", "udtf/", "udaf/", "ignored.sql")

  private val CreateTable: Regex = "(?is)\\s*create\\s+table\\b.*".r
  private val CreateView: Regex =
    "(?is)^\\s*create\\s+(?:or\\s+replace\\s+)?temp(?:orary)?\\s+view\\s+`?(\\w+)`?".r
  private val StringColumn: Regex = "(?i)\\bstring\\b(?!\\s+collate)".r
  private val Query: Regex = "(?is)^[\\s(]*(?:select|with|values|from|table)\\b".r
  private val Write: Regex = "(?is)\\binsert\\s+(?:into|overwrite)\\b".r

  private def isQuery(statement: String): Boolean =
    Query.findPrefixOf(statement).nonEmpty && Write.findFirstIn(statement).isEmpty

  private def isHashable(dataType: DataType): Boolean = dataType match {
    case StringType | DateType | TimestampType | BooleanType => true
    case other => other.isInstanceOf[NumericType]
  }

  private def collated(dataType: DataType, collation: String): DataType = dataType match {
    case StringType => StringType(collation)
    case ArrayType(element, containsNull) => ArrayType(collated(element, collation), containsNull)
    // Map keys are not collated: changing their case could make two of them equal.
    case MapType(key, value, containsNull) =>
      MapType(key, collated(value, collation), containsNull)
    case StructType(fields) =>
      StructType(fields.map(field => field.copy(dataType = collated(field.dataType, collation))))
    case other => other
  }
}
