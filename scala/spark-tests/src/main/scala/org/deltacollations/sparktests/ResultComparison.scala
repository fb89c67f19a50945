// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.sparktests

import java.math.RoundingMode
import java.util.Locale

import scala.util.control.NonFatal

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{
  GlobalLimit,
  LocalLimit,
  LogicalPlan,
  Project,
  Sort
}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.{QueryTest, Row}

import org.deltacollations.config.CollationsConf.{CorrectnessEnabled, SkippingEnabled, SpeedEnabled}
import org.deltacollations.sparktests.ResultComparison._

/**
 * Compares the results of a query with the rules of the extension and with Spark's own plans, in
 * one session.
 *
 * Strings are compared case-insensitively, because the order in which partitions arrive determines
 * which of several equal strings a group shows. The order of rows is compared by the columns that
 * the query sorts by.
 */
trait ResultComparison extends QueryTest {

  /** Returns the result of `query`, or describes how the two results differ. */
  protected def compare(session: SparkSession, query: String): Either[String, QueryResult] = {
    val (expected, actual) = (resultWithoutRules(session, query), resultOf(session, query))
    if (expected == actual || isNondeterministic(session, query, expected, actual)) Right(actual)
    else Left(s"$query\n  Spark alone: $expected\n  with the extension: $actual")
  }

  /** Repeats the query: one with rand(), or with LIMIT and no ORDER BY, has several results. */
  private def isNondeterministic(
      session: SparkSession,
      query: String,
      expected: QueryResult,
      actual: QueryResult
  ): Boolean = {
    val repeated = Seq.fill(Repetitions)(resultWithoutRules(session, query))
    repeated.exists(_ != expected) || repeated.contains(actual)
  }

  private def resultWithoutRules(session: SparkSession, query: String): QueryResult = {
    val settings = Seq(CorrectnessEnabled.key, SpeedEnabled.key, SkippingEnabled.key)
    settings.foreach(session.conf.set(_, "false"))
    try resultOf(session, query)
    finally settings.foreach(session.conf.unset(_))
  }
}

object ResultComparison {

  private val Repetitions = 2
  private val Digits = 6

  sealed trait QueryResult

  /**
   * @param rows
   *   all rows, sorted as strings
   * @param order
   *   the values of the columns that the query sorts by, in the order of the result
   */
  final case class Rows(schema: String, rows: Seq[String], order: Seq[Seq[String]])
      extends QueryResult

  /**
   * @param condition
   *   the error condition, or the class of an error that has none
   */
  final case class Failure(condition: String) extends QueryResult

  private def resultOf(session: SparkSession, query: String): QueryResult =
    try {
      val frame = session.sql(query)
      val rows = frame.collect().toSeq
      val plan = frame.queryExecution.analyzed
      val order = sortColumns(plan).map(column => plan.output.indexWhere(_.exprId == column.exprId))
      Rows(
        frame.schema.catalogString,
        rows.map(normalize).sorted,
        rows.map(row => order.filter(_ >= 0).map(position => normalize(row.get(position))))
      )
    } catch {
      case NonFatal(error) => Failure(condition(error))
    }

  private def condition(error: Throwable): String = error match {
    case spark: SparkThrowable if spark.getCondition != null => spark.getCondition
    case wrapped if wrapped.getCause != null && wrapped.getCause != wrapped =>
      condition(wrapped.getCause)
    case other => other.getClass.getName
  }

  /** Returns the columns that determine the order of rows. Ties are in any order. */
  private def sortColumns(plan: LogicalPlan): Seq[Attribute] = plan match {
    case sort: Sort if sort.global =>
      sort.order.map(_.child).takeWhile(_.isInstanceOf[Attribute])
        .collect { case column: Attribute => column }
    case _: Project | _: GlobalLimit | _: LocalLimit => sortColumns(plan.children.head)
    case _ => Nil
  }

  /** Formats a value without the differences that do not count: case and the last digits. */
  private def normalize(value: Any): String = value match {
    case null => "NULL"
    case string: String => string.toLowerCase(Locale.ROOT)
    case number: Double if !number.isNaN && !number.isInfinite => rounded(BigDecimal(number))
    case number: Float if !number.isNaN && !number.isInfinite =>
      rounded(BigDecimal(number.toDouble))
    case number: java.math.BigDecimal => number.stripTrailingZeros.toPlainString
    case bytes: Array[Byte] => bytes.map("%02x".format(_)).mkString
    case row: Row => row.toSeq.map(normalize).mkString("{", ", ", "}")
    case entries: scala.collection.Map[_, _] =>
      entries.map { case (key, item) => s"${normalize(key)}: ${normalize(item)}" }.toSeq.sorted
        .mkString("(", ", ", ")")
    case items: Iterable[_] => items.map(normalize).mkString("[", ", ", "]")
    case other => other.toString
  }

  private def rounded(number: BigDecimal): String =
    number.bigDecimal.setScale(Digits, RoundingMode.HALF_UP).stripTrailingZeros.toPlainString
}
