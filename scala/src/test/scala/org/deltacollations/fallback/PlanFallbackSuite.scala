// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.fallback

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{Alias, AttributeReference, EqualTo, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LocalRelation, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{LocalTableScanExec, ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.types.{IntegerType, StringType}

import org.deltacollations.errors.{CollationsErrors, CollationsException}
import org.scalatest.funsuite.AnyFunSuite

class PlanFallbackSuite extends AnyFunSuite {

  private val id = AttributeReference("id", IntegerType)()
  private val other = AttributeReference("other", IntegerType)()
  private val plan: LogicalPlan = Project(Seq(id), LocalRelation(id))
  private val scan: SparkPlan = LocalTableScanExec(Seq(id), Nil, None)

  private val defects: Seq[(String, LogicalPlan => LogicalPlan)] = Seq(
    "throws an exception" -> (_ => throw new IllegalStateException("a bug")),
    "throws a linkage error" -> (_ => throw new NoSuchMethodError("a method Spark has removed")),
    "recurses without end" -> (_ => throw new StackOverflowError),
    "returns an unresolved plan" -> (Filter(UnresolvedAttribute("unknown"), _)),
    "returns another column" -> (_ => LocalRelation(other)),
    "returns a column of another type" ->
      (_ => LocalRelation(AttributeReference("id", StringType)(id.exprId))),
    "returns an alias with the id of its column" ->
      (_ => Project(Seq(Alias(id, "id")(id.exprId)), LocalRelation(id))),
    "returns a plan with a column that its child lacks" ->
      (plan => Filter(EqualTo(other, Literal(1)), plan))
  )

  for ((defect, broken) <- defects) {

    test(s"the plan is unchanged when a rule $defect") {
      withFallback(assert(PlanFallback.forRule(rule(broken))(plan) eq plan))
    }

    test(s"failOnFallback rethrows when a rule $defect") {
      assertThrows[Throwable](PlanFallback.forRule(rule(broken))(plan))
    }
  }

  test("forRule returns a validly changed plan and keeps the name of the rule") {
    val filtered = rule(Filter(Literal(true), _))
    assert(PlanFallback.forRule(filtered)(plan) === Filter(Literal(true), plan))
    assert(PlanFallback.forRule(filtered).ruleName === filtered.ruleName)
  }

  test("forRule does not fall back if the plan was invalid before the rule") {
    val invalid = Filter(EqualTo(other, Literal(1)), plan)
    val changed = PlanFallback.forRule(rule(Filter(Literal(true), _)))(invalid)
    assert(changed === Filter(Literal(true), invalid))
  }

  test("forPhysicalRule falls back when a rule changes the output or drops the input") {
    val changed = physical(_ => LocalTableScanExec(Seq(other), Nil, None))
    val dangling = physical(ProjectExec(Seq(id), _).withNewChildren(
      Seq(LocalTableScanExec(Seq(other), Nil, None))
    ))
    withFallback {
      assert(PlanFallback.forPhysicalRule(changed)(scan) eq scan)
      assert(PlanFallback.forPhysicalRule(dangling)(scan) eq scan)
    }
    assertThrows[IllegalStateException](PlanFallback.forPhysicalRule(changed)(scan))
    assertThrows[IllegalStateException](PlanFallback.forPhysicalRule(dangling)(scan))
  }

  test(
    "forStrategy leaves the plan to the next strategy if a strategy fails or changes the output"
  ) {
    val failing = strategy(_ => throw new IllegalStateException("a bug"))
    val changed = strategy(_ => Seq(LocalTableScanExec(Seq(other), Nil, None)))
    withFallback {
      assert(PlanFallback.forStrategy(failing)(plan) === Nil)
      assert(PlanFallback.forStrategy(changed)(plan) === Nil)
    }
    assert(PlanFallback.forStrategy(strategy(_ => Seq(scan)))(plan) === Seq(scan))
  }

  test("forAnalyzerRule rethrows user errors and falls back on other errors") {
    val userError = CollationsErrors.unsupportedMapKey("labels", "STRING COLLATE UNICODE")
    val rejecting = PlanFallback.forAnalyzerRule(rule(_ => throw userError))
    val failing = PlanFallback.forAnalyzerRule(rule(_ => throw new MatchError("a bug")))
    withFallback {
      assert(intercept[CollationsException](rejecting(plan)) eq userError)
      assert(failing(plan) eq plan)
    }
    assertThrows[MatchError](failing(plan))
  }

  private def rule(change: LogicalPlan => LogicalPlan): Rule[LogicalPlan] =
    new Rule[LogicalPlan] { override def apply(plan: LogicalPlan): LogicalPlan = change(plan) }

  private def physical(change: SparkPlan => SparkPlan): Rule[SparkPlan] =
    new Rule[SparkPlan] { override def apply(plan: SparkPlan): SparkPlan = change(plan) }

  private def strategy(planned: LogicalPlan => Seq[SparkPlan]): SparkStrategy =
    new SparkStrategy {
      override def apply(plan: LogicalPlan): Seq[SparkPlan] = planned(plan)
    }

  /** Runs `check` as in production, where failures are not rethrown. */
  private def withFallback(check: => Unit): Unit = {
    val property = "deltaCollations.test.failOnFallback"
    val before = System.clearProperty(property)
    try check
    finally System.setProperty(property, before)
  }
}
