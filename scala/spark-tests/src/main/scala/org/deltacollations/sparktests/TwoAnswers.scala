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

import org.deltacollations.config.CollationsConf.{ShieldEnabled, SkippingEnabled, SpeedEnabled}
import org.deltacollations.sparktests.TwoAnswers._

/**
 * Compares the answers of a query with the rules of the extension and with Spark's plans alone, in
 * one session.
 *
 * Strings compare regardless of case: which of several equal strings a group shows depends on the
 * order in which partitions arrive. Rows compare in order by the columns that the query sorts by.
 */
trait TwoAnswers extends QueryTest {

  /** Returns the answer to `query`, or describes how the two answers differ. */
  protected def compared(session: SparkSession, query: String): Either[String, Answer] = {
    val (expected, found) = (stock(session, query), answer(session, query))
    if (expected == found || differsFromItself(session, query, expected, found)) Right(found)
    else Left(s"$query\n  Spark alone: $expected\n  with the extension: $found")
  }

  /** A query with rand(), or with LIMIT and no ORDER BY, has several answers. */
  private def differsFromItself(
      session: SparkSession,
      query: String,
      expected: Answer,
      found: Answer
  ): Boolean = {
    val again = Seq.fill(Repetitions)(stock(session, query))
    again.exists(_ != expected) || again.contains(found)
  }

  private def stock(session: SparkSession, query: String): Answer = {
    val settings = Seq(ShieldEnabled.key, SpeedEnabled.key, SkippingEnabled.key)
    settings.foreach(session.conf.set(_, "false"))
    try answer(session, query)
    finally settings.foreach(session.conf.unset(_))
  }
}

object TwoAnswers {

  private val Repetitions = 2
  private val Digits = 6

  sealed trait Answer

  /** @param order the columns that the rows are sorted by, of each row */
  final case class Rows(schema: String, rows: Seq[String], order: Seq[Seq[String]]) extends Answer

  /** @param condition that of Spark, or the class of the error if it has none */
  final case class Failure(condition: String) extends Answer

  private def answer(session: SparkSession, query: String): Answer =
    try {
      val frame = session.sql(query)
      val rows = frame.collect().toSeq
      val plan = frame.queryExecution.analyzed
      val order = sortedBy(plan).map(column => plan.output.indexWhere(_.exprId == column.exprId))
      Rows(
        frame.schema.catalogString,
        rows.map(folded).sorted,
        rows.map(row => order.filter(_ >= 0).map(position => folded(row.get(position))))
      )
    } catch {
      case NonFatal(error) => Failure(condition(error))
    }

  private def condition(error: Throwable): String = error match {
    case known: SparkThrowable if known.getCondition != null => known.getCondition
    case wrapped if wrapped.getCause != null && wrapped.getCause != wrapped =>
      condition(wrapped.getCause)
    case other => other.getClass.getName
  }

  /** Returns the columns that the rows are sorted by. Rows that are equal in these come in any order. */
  private def sortedBy(plan: LogicalPlan): Seq[Attribute] = plan match {
    case sort: Sort if sort.global =>
      sort.order.map(_.child).takeWhile(_.isInstanceOf[Attribute])
        .collect { case column: Attribute => column }
    case _: Project | _: GlobalLimit | _: LocalLimit => sortedBy(plan.children.head)
    case _ => Nil
  }

  private def folded(value: Any): String = value match {
    case null => "NULL"
    case text: String => text.toLowerCase(Locale.ROOT)
    case number: Double if !number.isNaN && !number.isInfinite => rounded(BigDecimal(number))
    case number: Float if !number.isNaN && !number.isInfinite =>
      rounded(BigDecimal(number.toDouble))
    case number: java.math.BigDecimal => number.stripTrailingZeros.toPlainString
    case bytes: Array[Byte] => bytes.map("%02x".format(_)).mkString
    case row: Row => row.toSeq.map(folded).mkString("{", ", ", "}")
    case entries: scala.collection.Map[_, _] =>
      entries.map { case (key, item) => s"${folded(key)}: ${folded(item)}" }.toSeq.sorted
        .mkString("(", ", ", ")")
    case items: Iterable[_] => items.map(folded).mkString("[", ", ", "]")
    case other => other.toString
  }

  private def rounded(number: BigDecimal): String =
    number.bigDecimal.setScale(Digits, RoundingMode.HALF_UP).stripTrailingZeros.toPlainString
}
