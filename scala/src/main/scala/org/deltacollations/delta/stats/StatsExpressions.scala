// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats

import org.apache.spark.sql.catalyst.expressions.{CreateNamedStruct, Expression, Literal}

import org.deltacollations.collation.CollationOrder
import org.deltacollations.expressions.{CollatedMinMax, MinOrMax}
import org.deltacollations.protocol.{CodePointTag, CollationId, StatsNames}

/**
 * A collated string column that statistics are collected for.
 *
 * @param path
 *   the physical column names
 * @param value
 *   the expression that reads the column
 */
final case class StatsColumn(
    path: Seq[String],
    id: CollationId,
    order: CollationOrder,
    value: Expression
)

/** Builds the aggregate expressions that collect the statistics of collated columns per file. */
object StatsExpressions {

  /**
   * Returns the value of `statsWithCollation`: one field per versioned identifier, with the bounds of
   * the columns of that collation. RFC, "Per-file Statistics".
   *
   * @param prefix
   *   the number of characters of a truncated bound; bounds may be longer if that is necessary
   */
  def bounds(columns: Seq[StatsColumn], prefix: Int): Option[Expression] =
    Option.when(columns.nonEmpty)(DropEmptyStructs(struct(
      columns.map(_.id).distinct.map { id =>
        val own = columns.filter(_.id == id)
        id.toString -> struct(Seq(
          StatsNames.Min -> nested(own.map(column => bound(column, MinOrMax.Min, prefix))),
          StatsNames.Max -> nested(own.map(column => bound(column, MinOrMax.Max, prefix)))
        ))
      }
    )))

  /** Returns the value of the `CodePointTag`: one field per column. */
  def codePoints(columns: Seq[StatsColumn]): Option[Expression] =
    Option.when(columns.nonEmpty)(struct(columns.map { column =>
      CodePointTag.key(column.path) -> CollectCodePoints(column.value).toAggregateExpression()
    }))

  private def bound(
      column: StatsColumn,
      minOrMax: MinOrMax,
      prefix: Int
  ): (Seq[String], Expression) = {
    val value = CollatedMinMax(column.value, column.order, minOrMax).toAggregateExpression()
    column.path -> TruncateBound(value, prefix, column.order, minOrMax)
  }

  /** Returns a struct with each of `leaves` at its path. */
  private def nested(leaves: Seq[(Seq[String], Expression)]): Expression = struct(
    leaves.map(_._1.head).distinct.map { name =>
      val below = leaves.collect { case (`name` +: rest, leaf) => rest -> leaf }
      name ->
        (below match {
          case Seq((Nil, leaf)) => leaf
          case _ => nested(below)
        })
    }
  )

  private def struct(fields: Seq[(String, Expression)]): Expression =
    CreateNamedStruct(fields.flatMap { case (name, value) => Seq(Literal(name), value) })
}
