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
 * Replaces collation identifiers of the Delta log in expressions by Spark's collation names. This
 * covers the function `collate`, whose collation is a string and not part of the SQL grammar.
 *
 * The rule must run before Spark resolves functions. It also rejects unknown names, because Spark
 * would throw an exception of a class that PySpark does not convert.
 */
object ResolveCollationNames extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveExpressionsWithPruning(
      _.containsAnyPattern(UNRESOLVED_COLLATION, UNRESOLVED_FUNCTION)
    ) {
      case collation: UnresolvedCollation =>
        UnresolvedCollation(Seq(resolve(collation.collationName, collation)))
      case call @ CollateCall(text, literal) =>
        val parts = AttributeNameParser.parseAttributeName(literal.value.toString)
        val name = UTF8String.fromString(resolve(parts, call))
        call.copy(arguments = Seq(text, literal.copy(value = name)))
    }

  private def resolve(parts: Seq[String], expression: Expression): String =
    CollationNameResolver.resolve(parts).fold(
      parameters =>
        throw new AnalysisException(
          CollationNameResolver.InvalidName,
          parameters,
          expression.origin
        ),
      identity
    )

  /** Matches `collate(text, 'name')`. Spark handles a name that is not a string literal. */
  private object CollateCall {
    def unapply(call: UnresolvedFunction): Option[(Expression, Literal)] = call.arguments match {
      case Seq(text, name @ Literal(_: UTF8String, _: StringType))
          if call.nameParts.size == 1 && call.nameParts.head.equalsIgnoreCase("collate") =>
        Some((text, name))
      case _ => None
    }
  }
}
