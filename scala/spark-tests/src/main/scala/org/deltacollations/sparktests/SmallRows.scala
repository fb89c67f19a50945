// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.sparktests

import java.time.LocalDate

import scala.util.{Random, Try}

import org.apache.spark.sql.Row
import org.apache.spark.sql.types._

/**
 * Generates few rows that many queries select: values are taken from the literals which `queries`
 * compare a column with, in various spellings, and keys from a range small enough to join.
 */
final class SmallRows(seed: Long, queries: Seq[String]) {

  import SmallRows._

  private val literals: Map[String, Seq[String]] =
    queries.flatMap(comparedLiterals).distinct.groupMap(_._1)(_._2)

  /** Returns the rows of a table, the same ones each time. */
  def of(table: String, schema: StructType): Seq[Row] = {
    val chance = new Random(seed + table.hashCode)
    val count = if (Facts.exists(table.endsWith)) FactRows else Keys
    (1 to count).map(number =>
      Row.fromSeq(schema.zipWithIndex.map { case (field, position) =>
        if (position == 0 && isKey(field.name) && count == Keys) keyOf(field.dataType, number)
        else if (chance.nextInt(100) < NullPercent) null
        else value(field, chance)
      })
    )
  }

  private def value(field: StructField, chance: Random): Any = field.dataType match {
    case _: StringType => spelled(pick(textsOf(field.name), chance), chance)
    case IntegerType | LongType =>
      val number =
        if (isKey(field.name)) 1 + chance.nextInt(Keys)
        else pick(numbersOf(field.name), chance)
      keyOf(field.dataType, number)
    case decimal: DecimalType =>
      BigDecimal(chance.nextInt(MaxPrice * 100), 2)
        .setScale(decimal.scale, BigDecimal.RoundingMode.HALF_UP).bigDecimal
    case DateType => pick(datesOf(field.name), chance).plusDays(chance.nextInt(60).toLong)
    case other => throw new IllegalArgumentException(s"no values of type $other")
  }

  private def textsOf(column: String): Seq[String] =
    literals.getOrElse(column, Nil).map(_.replace("%", "ab")) ++ Words

  private def numbersOf(column: String): Seq[Int] =
    literals.getOrElse(column, Nil).flatMap(_.toIntOption).filter(_ < 1000000) match {
      case Seq() => 1 to 30
      case known => known
    }

  private def datesOf(column: String): Seq[LocalDate] =
    literals.getOrElse(column, Nil).flatMap(text => Try(LocalDate.parse(text)).toOption) match {
      case Seq() => (1993 to 2002).map(LocalDate.of(_, 1, 1))
      case known => known
    }
}

object SmallRows {

  /** Rows of a dimension, whose keys are the numbers from 1. */
  private val Keys = 80
  private val FactRows = 800
  private val NullPercent = 3
  private val MaxPrice = 300
  private val Words = Seq("Straße", "able", "ought", "Ärger", "n st", "")
  private val Facts = Seq("_sales", "_returns", "inventory", "lineitem", "orders", "partsupp")

  private val Token = """'((?:[^']|'')*)'|\b\d+\b|[A-Za-z_]\w*|\S""".r

  /** Words that may stand between a column and the literals it is compared with. */
  private val Between = Set("in", "between", "and", "like", "not", "cast", "as", "date", "interval")

  /** Finds columns and the literals after them, roughly: too many pairs are no problem. */
  private def comparedLiterals(query: String): Seq[(String, String)] =
    Token.findAllMatchIn(query).foldLeft(("", Vector.empty[(String, String)])) {
      case ((column, found), token) =>
        val text = token.matched
        if (text.startsWith("'")) (column, found :+ (column -> token.group(1)))
        else if (text.head.isDigit) (column, found :+ (column -> text))
        else if (!text.head.isLetter || Between(text.toLowerCase)) (column, found)
        else (if (text.contains("_")) text.toLowerCase else "", found)
    }._2.filter(_._1.nonEmpty)

  private def isKey(column: String): Boolean = column.endsWith("_sk") || column.endsWith("key")

  private def keyOf(dataType: DataType, number: Int): Any =
    if (dataType == LongType) number.toLong else number

  private def pick[A](values: Seq[A], chance: Random): A = values(chance.nextInt(values.size))

  private def spelled(text: String, chance: Random): String = chance.nextInt(3) match {
    case 0 => text.toUpperCase
    case 1 => text.toLowerCase
    case _ => text
  }
}
