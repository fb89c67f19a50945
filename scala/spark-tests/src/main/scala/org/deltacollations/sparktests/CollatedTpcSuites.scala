// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.sparktests

import org.apache.spark.SparkConf
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.util.resourceToString
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.{TPCBase, TPCDSBase, TPCHBase}

import org.deltacollations.sparktests.CollatedTpc.{Seed, collated}
import org.deltacollations.sparktests.ResultComparison.{Failure, Rows}

/**
 * Compares the results of the queries of a benchmark, on Delta tables of generated rows in which
 * all strings are collated.
 */
trait CollatedTpc extends TPCBase with ResultComparison {

  /** The columns of each table, as in `CREATE TABLE`. */
  protected def columns: Map[String, String]

  /** The names and the SQL of the queries. */
  protected def queries: Seq[(String, String)]

  protected def collation: String

  override protected def sparkConf: SparkConf = super.sparkConf
    .set(SQLConf.SHUFFLE_PARTITIONS.key, "2")
    .set("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    .set("spark.databricks.delta.snapshotPartitions", "1")

  override def createTables(): Unit = {
    val generator = new GeneratedRows(Seed, queries.map(_._2))
    columns.foreach { case (table, ddl) =>
      spark.sql(s"CREATE TABLE $table (${collated(ddl, collation)}) USING delta")
      val schema = spark.table(table).schema
      val rows = spark.sparkContext.parallelize(generator.rows(table, schema), 2)
      spark.createDataFrame(rows, schema).write.insertInto(table)
    }
  }

  override def dropTables(): Unit =
    columns.keys.foreach(table =>
      spark.sessionState.catalog
        .dropTable(TableIdentifier(table), ignoreIfNotExists = true, purge = true)
    )

  /** Counts the queries that return rows, since comparing empty results proves little. */
  private var withRows = 0

  protected def compareAll(): Unit = {
    queries.foreach { case (name, query) =>
      test(name) {
        compare(spark, query) match {
          case Left(difference) => fail(difference)
          case Right(Rows(_, rows, _)) => if (rows.nonEmpty) withRows += 1
          // Spark does not support LIKE under UNICODE_CI.
          case Right(Failure(condition)) => info(s"rejected by Spark: $condition")
        }
      }
    }
    test("most results have rows")(assert(withRows * 2 > queries.size, s"of ${queries.size}"))
  }
}

object CollatedTpc {

  private val Seed = 20261117L

  private def collated(columns: String, collation: String): String =
    columns.replaceAll("(?i)\\b(?:var)?char\\(\\d+\\)|\\bstring\\b", s"STRING COLLATE $collation")
}

/** Runs TPC-DS on case-insensitive strings. */
class CollatedTpcdsSuite extends TPCDSBase with CollatedTpc {

  override protected def collation: String = "UTF8_LCASE"

  override protected def columns: Map[String, String] = tableColumns

  override protected lazy val queries: Seq[(String, String)] =
    tpcdsQueries.map(name => name -> resourceToString(s"tpcds/$name.sql"))

  compareAll()
}

/** Runs TPC-H on strings with a case-insensitive ICU collation. */
class CollatedTpchSuite extends TPCHBase with CollatedTpc {

  override protected def collation: String = "UNICODE_CI"

  override protected def columns: Map[String, String] = tpchCreateTable.map { case (table, ddl) =>
    table -> ddl.substring(ddl.indexOf('(') + 1, ddl.lastIndexOf(')'))
  }

  override protected lazy val queries: Seq[(String, String)] =
    tpchQueries.map(name => name -> resourceToString(s"tpch/$name.sql"))

  compareAll()
}
