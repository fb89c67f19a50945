// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.parser

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, UnresolvedCollation}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{UNRESOLVED_COLLATION, UNRESOLVED_FUNCTION}
import org.apache.spark.sql.catalyst.util.AttributeNameParser
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

/**
 * Gives Spark its own name for the collation of an expression, above all of the function `collate`,
 * whose collation is no part of SQL's grammar.
 *
 * It must run before Spark resolves functions. An unknown name is refused here as well, because
 * Spark would do so in a class that PySpark does not translate.
 */
object ResolveCollationNames extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveExpressionsWithPruning(
      _.containsAnyPattern(UNRESOLVED_COLLATION, UNRESOLVED_FUNCTION)
    ) {
      case asked: UnresolvedCollation => UnresolvedCollation(Seq(named(asked.collationName, asked)))
      case call @ CollateCall(text, literal) =>
        val parts = AttributeNameParser.parseAttributeName(literal.value.toString)
        val name = UTF8String.fromString(named(parts, call))
        call.copy(arguments = Seq(text, literal.copy(value = name)))
    }

  private def named(parts: Seq[String], asked: Expression): String =
    CollationNameResolver.named(parts).fold(
      parameters =>
        throw new AnalysisException(CollationNameResolver.InvalidName, parameters, asked.origin),
      identity
    )

  /** `collate(text, 'name')`; a name that is not written down is Spark's to judge. */
  private object CollateCall {
    def unapply(call: UnresolvedFunction): Option[(Expression, Literal)] = call.arguments match {
      case Seq(text, name @ Literal(_: UTF8String, _: StringType))
          if call.nameParts.size == 1 && call.nameParts.head.equalsIgnoreCase("collate") =>
        Some((text, name))
      case _ => None
    }
  }
}
