// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.sparktests

import java.math.RoundingMode
import java.util.Locale

import scala.util.control.NonFatal

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.plans.logical.{GlobalLimit, LogicalPlan, Project, Sort}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.{QueryTest, Row}

import org.deltacollations.CollationsConf.{ShieldEnabled, SkippingEnabled, SpeedEnabled}

/**
 * Compares the answers of a query with the rules of the extension and with Spark's plans alone, in
 * one session.
 *
 * Strings compare regardless of case: which of several equal strings a group shows depends on the
 * order in which partitions arrive. Rows compare in order only if the query sorts them.
 */
trait TwoAnswers extends QueryTest {

  /** Describes how the two answers to `query` differ, if they do. */
  protected def difference(session: SparkSession, query: String): Option[String] = {
    val first = (stock(session, query), ours(session, query))
    if (first._1 == first._2) None
    else {
      // A query with rand() or a LIMIT without ORDER BY differs from itself as well.
      val again = Seq.fill(TwoAnswers.Repetitions)((stock(session, query), ours(session, query)))
      val (expected, found) = (first +: again).unzip
      if (expected.exists(found.contains) || expected.distinct.size > 1) None
      else Some(s"$query\n  Spark alone: ${first._1}\n  with the extension: ${first._2}")
    }
  }

  /** Returns the answer with the rules of the extension. */
  protected def ours(session: SparkSession, query: String): TwoAnswers.Answer =
    TwoAnswers.answer(session, query)

  private def stock(session: SparkSession, query: String): TwoAnswers.Answer = {
    val settings = Seq(ShieldEnabled.key, SpeedEnabled.key, SkippingEnabled.key)
    settings.foreach(session.conf.set(_, "false"))
    try TwoAnswers.answer(session, query)
    finally settings.foreach(session.conf.unset(_))
  }
}

object TwoAnswers {

  private val Repetitions = 2
  private val Digits = 6

  /** An error is its condition, or its class where Spark names none. */
  sealed trait Answer
  final case class Rows(schema: String, rows: Seq[String]) extends Answer
  final case class Failure(condition: String) extends Answer

  private def answer(session: SparkSession, query: String): Answer =
    try {
      val frame = session.sql(query)
      val rows = frame.collect().toSeq.map(folded)
      Rows(
        frame.schema.catalogString,
        if (isSorted(frame.queryExecution.analyzed)) rows else rows.sorted
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

  private def isSorted(plan: LogicalPlan): Boolean = plan match {
    case sort: Sort => sort.global
    case Project(_, child) => isSorted(child)
    case GlobalLimit(_, child) => isSorted(child)
    case other => other.children.size == 1 && other.nodeName.contains("Limit") &&
      isSorted(other.children.head)
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
