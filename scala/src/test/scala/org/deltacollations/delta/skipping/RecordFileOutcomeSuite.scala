// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.expressions.codegen.{
  CodegenContext,
  ExprCode,
  FalseLiteral,
  GenerateMutableProjection
}
import org.apache.spark.sql.types.{BooleanType, DataType, IntegerType}

import org.deltacollations.delta.scan.FileOutcome._
import org.deltacollations.delta.scan.FileOutcomeAccumulator
import org.deltacollations.delta.scan.PredicateResult._
import org.scalatest.funsuite.AnyFunSuite

class RecordFileOutcomeSuite extends AnyFunSuite {

  import RecordFileOutcomeSuite._

  /** Returns whether a file is read, its outcome, and how often each result was evaluated. */
  private def evaluate(
      byDelta: Any,
      results: Seq[Int],
      isGenerated: Boolean,
      combine: Seq[Expression] => Expression = _.reduce(And(_, _))
  ): (Boolean, Int, Seq[Int]) = {
    val current = new Array[Int](results.size)
    val outcomes = new FileOutcomeAccumulator
    val counts = results.map(_ => new AtomicInteger)
    val delta = Literal.create(byDelta, BooleanType)
    val expression = RecordFileOutcome(
      delta,
      results.zip(counts).map { case (result, count) => Counted(result, count) },
      And(delta, combine(results.indices.map(MayMatchResult(current, _)))),
      current,
      outcomes
    )
    val isRead =
      if (isGenerated)
        GenerateMutableProjection.generate(Seq(expression), Nil)(InternalRow.empty).getBoolean(0)
      else expression.eval(InternalRow.empty) == true
    val Seq(outcome) = outcomes.value.zipWithIndex.collect { case (1L, index) => index }: @unchecked
    (isRead, outcome, counts.map(_.get))
  }

  for (isGenerated <- Seq(false, true)) {
    val how = if (isGenerated) "with generated code" else "interpreted"

    test(s"every predicate is evaluated once per file, $how") {
      for (
        (results, outcome) <- Seq(
          Seq(MayMatch) -> ReadMayMatch,
          Seq(CannotMatch) -> SkippedByCollated,
          Seq(MayMatch, CannotMatch) -> SkippedByCollated,
          Seq(CannotMatch, OtherVersion) -> SkippedByCollated,
          Seq(MayMatch, NoStatistics) -> ReadNoStatistics,
          Seq(OtherVersion, NoStatistics) -> ReadOtherVersion
        )
      ) {
        val found = evaluate(true, results, isGenerated)
        assert(found === (outcome != SkippedByCollated, outcome, results.map(_ => 1)), results)
      }
    }

    test(s"a file is read if one side of a disjunction may match, $how") {
      for (
        (results, outcome) <- Seq(
          Seq(CannotMatch, MayMatch) -> ReadMayMatch,
          Seq(CannotMatch, NoStatistics) -> ReadNoStatistics,
          Seq(CannotMatch, CannotMatch) -> SkippedByCollated
        )
      ) {
        val found = evaluate(true, results, isGenerated, _.reduce(Or(_, _)))
        assert(found === (outcome != SkippedByCollated, outcome, Seq(1, 1)), results)
      }
    }

    test(s"no predicate is evaluated for a file that Delta skips, $how") {
      for (byDelta <- Seq[Any](false, null))
        assert(evaluate(byDelta, Seq(MayMatch), isGenerated) === (false, SkippedByBinary, Seq(0)))
    }
  }
}

object RecordFileOutcomeSuite {

  /** A result that counts how often it is evaluated. */
  final case class Counted(result: Int, count: AtomicInteger) extends LeafExpression {

    override def dataType: DataType = IntegerType

    override def nullable: Boolean = false

    override def eval(input: InternalRow): Any = {
      count.incrementAndGet()
      result
    }

    override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
      val counter = ctx.addReferenceObj("count", count)
      ev.copy(
        isNull = FalseLiteral,
        code = code"""
          |$counter.incrementAndGet();
          |int ${ev.value} = $result;""".stripMargin
      )
    }
  }
}
