// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.fallback

import java.util.concurrent.ConcurrentHashMap

import scala.util.control.NonFatal

import org.apache.spark.SparkThrowable
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.expressions.{AttributeSet, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, LogicalPlanIntegrity}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan, SparkStrategy}

/**
 * Wraps the rules and strategies of this library so that a defect in one of them never fails a query.
 *
 * If a rule throws, changes the output of a plan, or returns a plan that Spark's own plan validation
 * rejects, the query uses the plan from before the rule, and a warning names the rule once per JVM. A
 * plan that was invalid before the rule does not count as a failure of the rule. Only plans that a rule
 * has changed are validated, so queries without collated strings have no overhead.
 *
 * Tests set the system property `deltaCollations.test.failOnFallback`, which rethrows every failure.
 */
object PlanFallback extends Logging {

  /** Wraps an analyzer rule. Errors with an error condition are for the user and are rethrown. */
  def forAnalyzerRule(rule: Rule[LogicalPlan]): Rule[LogicalPlan] = new Rule[LogicalPlan] {
    override val ruleName: String = rule.ruleName

    override def apply(plan: LogicalPlan): LogicalPlan =
      orElseExceptUserErrors(ruleName, plan)(rule(plan))
  }

  def forRule(rule: Rule[LogicalPlan]): Rule[LogicalPlan] = new Rule[LogicalPlan] {
    override val ruleName: String = rule.ruleName

    override def apply(plan: LogicalPlan): LogicalPlan =
      orElse(ruleName, plan)(accepted(plan, rule(plan))((before, after) =>
        LogicalPlanIntegrity.validateOptimizedPlan(before, after, lightweight = false)
          .orElse(missingInput(after)).orElse(missingInSubquery(after))
      ))
  }

  /** Registers twice: query-stage-prep rules see adaptive plans (AQE), columnar rules see all others. */
  def injectPhysicalRule(extensions: SparkSessionExtensions, rule: Rule[SparkPlan]): Unit = {
    val safe = forPhysicalRule(rule)
    extensions.injectQueryStagePrepRule(_ => safe)
    extensions.injectColumnar(_ =>
      new ColumnarRule { override def preColumnarTransitions: Rule[SparkPlan] = safe }
    )
  }

  def forPhysicalRule(rule: Rule[SparkPlan]): Rule[SparkPlan] = new Rule[SparkPlan] {
    override val ruleName: String = rule.ruleName

    override def apply(plan: SparkPlan): SparkPlan =
      orElse(ruleName, plan)(accepted(plan, rule(plan))((_, changed) => missingInput(changed)))
  }

  /** Returns a strategy that leaves the plan to the next strategy if `strategy` fails. */
  def forStrategy(strategy: SparkStrategy): SparkStrategy = new SparkStrategy {
    override def apply(plan: LogicalPlan): Seq[SparkPlan] =
      orElse(strategy.getClass.getName, Seq.empty[SparkPlan]) {
        val planned = strategy(plan)
        planned.foreach(requireSameOutput(plan, _))
        planned
      }
  }

  /** Returns `result`, or `fallback` if computing it throws an error without an error condition. */
  def orElseExceptUserErrors[T](name: String, fallback: => T)(result: => T): T = {
    val outcome = orElse[Either[Throwable, T]](name, Right(fallback)) {
      try Right(result)
      catch { case userError: Throwable with SparkThrowable => Left(userError) }
    }
    outcome.fold(throw _, identity)
  }

  /** Returns `result`, or `fallback` if computing it fails. */
  private def orElse[T](name: String, fallback: => T)(result: => T): T =
    try result
    catch {
      case error @ (NonFatal(_) | _: LinkageError | _: StackOverflowError)
          if !java.lang.Boolean.getBoolean("deltaCollations.test.failOnFallback") =>
        if (reported.add(name))
          logWarning(s"$name failed. Spark's own plan is used instead.", error)
        fallback
    }

  private val reported = ConcurrentHashMap.newKeySet[String]()

  /** @param validate returns why a plan is invalid, given the plan before and after a rule */
  private def accepted[P <: QueryPlan[P]](
      plan: P,
      changed: P
  )(validate: (P, P) => Option[String]): P = {
    if (!changed.fastEquals(plan)) {
      requireSameOutput(plan, changed)
      validate(plan, changed).filter(_ => validate(plan, plan).isEmpty).foreach { reason =>
        throw new IllegalStateException(reason)
      }
    }
    changed
  }

  private def requireSameOutput(plan: QueryPlan[_], changed: QueryPlan[_]): Unit = {
    val (before, after) = (columns(plan), columns(changed))
    if (before != after)
      throw new IllegalStateException(
        s"The output has changed from ${before.mkString(", ")} to ${after.mkString(", ")}:\n$changed"
      )
  }

  private def columns(plan: QueryPlan[_]): Seq[(String, Long, String)] =
    plan.output.map(column => (column.name, column.exprId.id, column.dataType.sql))

  /** Checks every node. Spark's own validation checks only the root. */
  private def missingInput[P <: QueryPlan[P]](plan: P): Option[String] =
    plan.collectFirst {
      case node if node.missingInput.nonEmpty =>
        s"${node.missingInput.mkString(", ")} is missing from the input of ${node.nodeName}:\n$plan"
    }

  /** Checks the correlation conditions of subqueries after Spark has pulled them out of the subquery. */
  private def missingInSubquery(plan: LogicalPlan): Option[String] =
    plan.collectFirst(Function.unlift { node =>
      val input = node.inputSet
      node.expressions.flatMap(_.collect { case subquery: SubqueryExpression => subquery })
        .flatMap(query => AttributeSet(query.children) -- input -- query.plan.outputSet).headOption
    }).map(column => s"$column is missing from a subquery:\n$plan")
}
