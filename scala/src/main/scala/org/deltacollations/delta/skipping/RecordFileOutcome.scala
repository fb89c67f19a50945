// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.expressions.{Expression, TernaryExpression}
import org.apache.spark.sql.types.{BooleanType, DataType}

import org.deltacollations.delta.scan.{FileOutcome, FileOutcomeAccumulator}

/**
 * Returns whether a file is read, and counts the file by its [[FileOutcome]].
 *
 * This is an expression and not a UDF, because each task would create the encoders of a UDF, which
 * takes longer than the evaluation.
 *
 * @param first
 *   whether the file is read
 * @param second
 *   whether Delta alone, without the collated predicates, would read it
 * @param third
 *   the highest result of the collated predicates
 */
final case class RecordFileOutcome(
    first: Expression,
    second: Expression,
    third: Expression,
    outcomes: FileOutcomeAccumulator
) extends TernaryExpression
    with CodegenFallback {

  override def prettyName: String = "record_file_outcome"

  override def dataType: DataType = BooleanType

  override def nullable: Boolean = false

  /** Spark must evaluate it exactly once per file, so it must not move or repeat it. */
  override lazy val deterministic: Boolean = false

  override def eval(input: InternalRow): Any = {
    val isRead = first.eval(input) == true
    val outcome =
      FileOutcome.of(isRead, second.eval(input) == true, third.eval(input).asInstanceOf[Int])
    outcomes.add(outcome)
    isRead
  }

  override protected def withNewChildrenInternal(
      newFirst: Expression,
      newSecond: Expression,
      newThird: Expression
  ): RecordFileOutcome = copy(first = newFirst, second = newSecond, third = newThird)
}
