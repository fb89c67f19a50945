// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.sparktests

import java.time.LocalDate

import scala.util.{Random, Try}

import org.apache.spark.sql.Row
import org.apache.spark.sql.types._

/**
 * Generates a small number of rows, many of which `queries` select. Values are taken from the
 * literals that the queries compare a column with, in upper, lower and mixed case. Keys are taken
 * from a range small enough to join.
 */
final class GeneratedRows(seed: Long, queries: Seq[String]) {

  import GeneratedRows._

  private val literals: Map[String, Seq[String]] =
    queries.flatMap(comparedLiterals).distinct.groupMap(_._1)(_._2)

  /** Returns the rows of a table, which depend only on the seed and the queries. */
  def rows(table: String, schema: StructType): Seq[Row] = {
    val random = new Random(seed + table.hashCode)
    val count = if (Facts.exists(table.endsWith)) FactRows else Keys
    (1 to count).map(number =>
      Row.fromSeq(schema.zipWithIndex.map { case (field, position) =>
        if (position == 0 && isKey(field.name) && count == Keys) keyOf(field.dataType, number)
        else if (random.nextInt(100) < NullPercent) null
        else value(field, random)
      })
    )
  }

  private def value(field: StructField, random: Random): Any = field.dataType match {
    case _: StringType => randomCase(pick(stringsOf(field.name), random), random)
    case IntegerType | LongType =>
      val number =
        if (isKey(field.name)) 1 + random.nextInt(Keys)
        else pick(numbersOf(field.name), random)
      keyOf(field.dataType, number)
    case decimal: DecimalType =>
      BigDecimal(random.nextInt(MaxPrice * 100), 2)
        .setScale(decimal.scale, BigDecimal.RoundingMode.HALF_UP).bigDecimal
    case DateType => pick(datesOf(field.name), random).plusDays(random.nextInt(60).toLong)
    case other => throw new IllegalArgumentException(s"no values of type $other")
  }

  private def stringsOf(column: String): Seq[String] =
    literals.getOrElse(column, Nil).map(_.replace("%", "ab")) ++ Words

  private def numbersOf(column: String): Seq[Int] =
    literals.getOrElse(column, Nil).flatMap(_.toIntOption).filter(_ < 1000000) match {
      case Seq() => 1 to 30
      case numbers => numbers
    }

  private def datesOf(column: String): Seq[LocalDate] =
    literals.getOrElse(column, Nil).flatMap(literal =>
      Try(LocalDate.parse(literal)).toOption
    ) match {
      case Seq() => (1993 to 2002).map(LocalDate.of(_, 1, 1))
      case dates => dates
    }
}

object GeneratedRows {

  /** The number of rows of a dimension table. Its keys are the numbers from 1. */
  private val Keys = 80
  private val FactRows = 800
  private val NullPercent = 3
  private val MaxPrice = 300
  private val Words = Seq("Straße", "able", "ought", "Ärger", "n st", "")
  private val Facts = Seq("_sales", "_returns", "inventory", "lineitem", "orders", "partsupp")

  private val Token = """'((?:[^']|'')*)'|\b\d+\b|[A-Za-z_]\w*|\S""".r

  /** Keywords that can occur between a column and the literals that it is compared with. */
  private val Between = Set("in", "between", "and", "like", "not", "cast", "as", "date", "interval")

  /** Finds columns and the literals after them. An approximation: wrong pairs do no harm. */
  private def comparedLiterals(query: String): Seq[(String, String)] =
    Token.findAllMatchIn(query).foldLeft(("", Vector.empty[(String, String)])) {
      case ((column, found), token) =>
        val word = token.matched
        if (word.startsWith("'")) (column, found :+ (column -> token.group(1)))
        else if (word.head.isDigit) (column, found :+ (column -> word))
        else if (!word.head.isLetter || Between(word.toLowerCase)) (column, found)
        else (if (word.contains("_")) word.toLowerCase else "", found)
    }._2.filter(_._1.nonEmpty)

  private def isKey(column: String): Boolean = column.endsWith("_sk") || column.endsWith("key")

  private def keyOf(dataType: DataType, number: Int): Any =
    if (dataType == LongType) number.toLong else number

  private def pick[A](values: Seq[A], random: Random): A = values(random.nextInt(values.size))

  private def randomCase(string: String, random: Random): String = random.nextInt(3) match {
    case 0 => string.toUpperCase
    case 1 => string.toLowerCase
    case _ => string
  }
}
