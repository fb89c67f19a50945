// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.expressions.{Expression, TernaryExpression}
import org.apache.spark.sql.types.{BooleanType, DataType}

import org.deltacollations.delta.scan.{FileOutcome, FileOutcomeAccumulator}

/**
 * Whether a file is read, counted by what became of it; see [[FileOutcome]]. A function of the user
 * kind would do the same, but each task would set up its encoders, which takes longer than the rest.
 */
final case class RecordFileOutcome(
    first: Expression,
    second: Expression,
    third: Expression,
    counts: FileOutcomeAccumulator
) extends TernaryExpression
    with CodegenFallback {

  override def dataType: DataType = BooleanType

  override def nullable: Boolean = false

  /** It must be asked once per file, so Spark must not move or repeat it. */
  override lazy val deterministic: Boolean = false

  override def eval(input: InternalRow): Any = {
    val isKept = first.eval(input) == true
    val outcome =
      FileOutcome.of(isKept, second.eval(input) == true, third.eval(input).asInstanceOf[Int])
    counts.add(outcome)
    isKept
  }

  override protected def withNewChildrenInternal(
      newFirst: Expression,
      newSecond: Expression,
      newThird: Expression
  ): RecordFileOutcome = copy(first = newFirst, second = newSecond, third = newThird)
}
