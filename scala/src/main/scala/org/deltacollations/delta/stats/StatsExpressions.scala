// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats

import org.apache.spark.sql.catalyst.expressions.{CreateNamedStruct, Expression, Literal}

import org.deltacollations.collation.CollationOrder
import org.deltacollations.expressions.{CollatedMinMax, MinOrMax}
import org.deltacollations.protocol.{CodePointTag, CollationId, StatsNames}

/** A collated string that statistics are collected for; `path` names it as the files do. */
final case class StatsColumn(
    path: Seq[String],
    id: CollationId,
    order: CollationOrder,
    value: Expression
)

/** From the collated columns of a table to what is collected for them, per file. */
object StatsExpressions {

  /**
   * `statsWithCollation`: one key per versioned identifier, below it its columns only. RFC,
   * "Per-file Statistics".
   *
   * @param prefix
   *   the number of characters a bound has at most, where so short a one can be proven
   */
  def collector(columns: Seq[StatsColumn], prefix: Int): Option[Expression] =
    Option.when(columns.nonEmpty)(DropEmptyStructs(struct(
      columns.map(_.id).distinct.map { id =>
        val own = columns.filter(_.id == id)
        id.toString -> struct(Seq(
          StatsNames.Min -> nested(own.map(column => bound(column, MinOrMax.Min, prefix))),
          StatsNames.Max -> nested(own.map(column => bound(column, MinOrMax.Max, prefix)))
        ))
      }
    )))

  /** The tag of a file that says which characters its columns hold, while it is collected. */
  def codePoints(columns: Seq[StatsColumn]): Option[Expression] =
    Option.when(columns.nonEmpty)(struct(columns.map { column =>
      CodePointTag.key(column.path) -> CollectCodePoints(column.value).toAggregateExpression()
    }))

  private def bound(column: StatsColumn, end: MinOrMax, prefix: Int): (Seq[String], Expression) = {
    val extreme = CollatedMinMax(column.value, column.order, end).toAggregateExpression()
    column.path -> TruncateBound(extreme, prefix, column.order, end)
  }

  /** The struct that has each of `leaves` at its path. */
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
