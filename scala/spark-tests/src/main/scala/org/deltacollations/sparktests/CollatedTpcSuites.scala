// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.sparktests

import org.apache.spark.SparkConf
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.util.resourceToString
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.{TPCBase, TPCDSBase, TPCHBase}

import org.deltacollations.sparktests.CollatedTpc.{Seed, collated}
import org.deltacollations.sparktests.TwoAnswers.{Failure, Rows}

/**
 * Compares the answers to the queries of a benchmark, on Delta tables of generated rows all of whose
 * strings have a collation.
 */
trait CollatedTpc extends TPCBase with TwoAnswers {

  /** The columns of each table, as `CREATE TABLE` has them. */
  protected def columns: Map[String, String]

  /** The names and texts of the queries. */
  protected def queries: Seq[(String, String)]

  protected def collation: String

  override protected def sparkConf: SparkConf = super.sparkConf
    .set(SQLConf.SHUFFLE_PARTITIONS.key, "2")
    .set("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    .set("spark.databricks.delta.snapshotPartitions", "1")

  override def createTables(): Unit = {
    val generated = new SmallRows(Seed, queries.map(_._2))
    columns.foreach { case (table, text) =>
      spark.sql(s"CREATE TABLE $table (${collated(text, collation)}) USING delta")
      val schema = spark.table(table).schema
      val rows = spark.sparkContext.parallelize(generated.of(table, schema), 2)
      spark.createDataFrame(rows, schema).write.insertInto(table)
    }
  }

  override def dropTables(): Unit =
    columns.keys.foreach(table =>
      spark.sessionState.catalog
        .dropTable(TableIdentifier(table), ignoreIfNotExists = true, purge = true)
    )

  /** Counts the queries whose answer has rows; comparing empty answers would prove little. */
  private var answered = 0

  protected def compareAll(): Unit = {
    queries.foreach { case (name, text) =>
      test(name) {
        compared(spark, text) match {
          case Left(difference) => fail(difference)
          case Right(Rows(_, rows, _)) => if (rows.nonEmpty) answered += 1
          // Spark refuses LIKE under UNICODE_CI.
          case Right(Failure(condition)) => info(s"refused by Spark: $condition")
        }
      }
    }
    test("most answers have rows")(assert(answered * 2 > queries.size, s"of ${queries.size}"))
  }
}

object CollatedTpc {

  private val Seed = 20261117L

  private def collated(columns: String, collation: String): String =
    columns.replaceAll("(?i)\\b(?:var)?char\\(\\d+\\)|\\bstring\\b", s"STRING COLLATE $collation")
}

/** TPC-DS on strings that compare without case. */
class CollatedTpcdsSuite extends TPCDSBase with CollatedTpc {

  override protected def collation: String = "UTF8_LCASE"

  override protected def columns: Map[String, String] = tableColumns

  override protected lazy val queries: Seq[(String, String)] =
    tpcdsQueries.map(name => name -> resourceToString(s"tpcds/$name.sql"))

  compareAll()
}

/** TPC-H on strings that compare by a locale-independent ICU collation, without case. */
class CollatedTpchSuite extends TPCHBase with CollatedTpc {

  override protected def collation: String = "UNICODE_CI"

  override protected def columns: Map[String, String] = tpchCreateTable.map { case (table, text) =>
    table -> text.substring(text.indexOf('(') + 1, text.lastIndexOf(')'))
  }

  override protected lazy val queries: Seq[(String, String)] =
    tpchQueries.map(name => name -> resourceToString(s"tpch/$name.sql"))

  compareAll()
}
