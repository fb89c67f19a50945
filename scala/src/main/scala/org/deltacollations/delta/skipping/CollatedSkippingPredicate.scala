// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.LeafExpression
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types.{BooleanType, DataType}

import org.deltacollations.collation.CollationOrder
import org.deltacollations.protocol.CollationId

/**
 * A predicate on the bounds of one string column. Delta carries it inside its own filter of files until
 * [[CollatedFileFilter]] replaces it by [[EvaluateSkippingPredicate]]. Until then it is true, so every
 * file is read if that does not happen.
 *
 * @param column
 *   the logical path of the column, from the root of the schema
 * @param compared
 *   the name of the collation that the query compares by, which may differ from that of the column
 * @param alternatives
 *   predicates on bounds in different collations. Each is true for every row that the query looks for, so
 *   a file is skipped if one of them is false. The collation that the query compares by comes first, if
 *   its bounds can be used
 */
final case class CollatedSkippingPredicate(
    column: Seq[String],
    compared: String,
    alternatives: Seq[CollatedSkippingPredicate.Alternative]
) extends LeafExpression
    with CodegenFallback {

  override def dataType: DataType = BooleanType

  override def nullable: Boolean = false

  override def eval(input: InternalRow): Any = true
}

object CollatedSkippingPredicate {

  /**
   * @param collation
   *   the collation of the bounds, with the current ICU version
   * @param order
   *   the order of the predicate: that of the bounds or of a coarser collation, for which they hold too
   */
  final case class Alternative(
      collation: CollationId,
      order: CollationOrder,
      predicate: BoundsPredicate
  )
}
