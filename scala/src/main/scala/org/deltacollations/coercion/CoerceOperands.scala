// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.coercion

import scala.util.Try

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.CollationTypeCoercion
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.types.DataType

import org.deltacollations.collation.{CollatedTypes, CommonCollation}

/**
 * Casts `UTF8_BINARY` operands to the collation of the other operands, if Spark rejects the expression
 * otherwise.
 *
 * Spark itself decides: an expression is changed only if `CollationTypeCoercion` throws an error for it
 * and does not throw one for the changed expression. So an expression that Spark accepts never changes,
 * and all other errors are Spark's own.
 */
private[coercion] object CoerceOperands {

  /** Whether this thread runs Spark's type coercion to find out if it accepts an expression. */
  private val isTrying = ThreadLocal.withInitial[Boolean](() => false)

  def apply(expression: Expression): Expression =
    if (!isCandidate(expression) || isTrying.get || !MixedCollations.isEnabled) expression
    else expression match {
      case query: InSubquery if query.values.size > 1 =>
        // Spark does not coerce these, and rejects them after analysis if the types differ.
        if (query.resolved) query else coerceSubquery(query).getOrElse(query)
      case definitions: With =>
        // Spark throws its error if it gets the comparison.
        CommonExpressionCheck.rejectedIn(definitions).getOrElse(definitions)
      case _ if isAccepted(expression) => expression
      case _ =>
        coerce(expression).filter(isAccepted)
          .fold(expression)(CommonExpressionCheck.record(expression, _))
    }

  /** Returns quickly for almost all expressions, because Spark calls this for each of them. */
  private def isCandidate(expression: Expression): Boolean = expression match {
    case _: BinaryComparison | _: In | _: InSubquery | _: StringPredicate | _: FindInSet |
        _: StringInstr | _: StringLocate | _: StringReplace | _: StringTranslate |
        _: String2TrimExpression | _: SubstringIndex | _: StringSplitSQL | _: Upper | _: Lower |
        _: InitCap | _: ArrayContains | _: ArrayPosition | _: ArraysOverlap =>
      Try(expression.children.map(_.dataType).distinct).toOption.exists(isMixed)
    case _: With => true
    case _ => false
  }

  private def isMixed(types: Seq[DataType]): Boolean =
    types.exists(CommonCollation.isIndeterminate) ||
      types.exists(CollatedTypes.hasCollation) &&
      (types.size > 1 || types.exists(CollatedTypes.hasUtf8Binary))

  private def isAccepted(expression: Expression): Boolean =
    try {
      val operands = coerceWithSpark(expression).children
      // Spark rejects these only when they are evaluated.
      !ArraySearch.matches(expression) ||
      !operands.exists(operand => CommonCollation.isIndeterminate(operand.dataType))
    } catch {
      case error: AnalysisException => error.getCondition != Indeterminate
    }

  /** Runs Spark's type coercion without this object. */
  private def coerceWithSpark(expression: Expression): Expression = {
    isTrying.set(true)
    try CollationTypeCoercion(expression)
    finally isTrying.set(false)
  }

  private val Indeterminate = "INDETERMINATE_COLLATION_IN_EXPRESSION"

  private def coerce(expression: Expression): Option[Expression] = expression match {
    case query: InSubquery => coerceSubquery(query)
    case _ =>
      for {
        operands <- all(expression.children.map(IndeterminateOperand.resolve))
        types = operands.map(_.dataType)
        compared = ArraySearch.comparedTypes(expression, types)
        targets <- CommonCollation.of(compared.filter(CollatedTypes.strings(_).nonEmpty))
      } yield {
        val wanted = compared.map(dataType => targets.getOrElse(dataType, dataType))
        val newTypes = ArraySearch.operandTypes(expression, wanted)
        expression.withNewChildren(operands.zip(newTypes).map { case (operand, dataType) =>
          ImplicitCast(operand, dataType)
        })
      }
  }

  /** Casts the values on the left or the columns of the subquery, each pair by itself. */
  private def coerceSubquery(query: InSubquery): Option[InSubquery] = {
    val columns = query.query.plan.output
    for {
      values <- all(query.values.map(IndeterminateOperand.resolve))
      if values.size == columns.size
      targets <- all(values.zip(columns).map { case (value, column) =>
        CommonCollation.of(Seq(value.dataType, column.dataType))
      })
    } yield {
      val newValues = values.zip(targets)
        .map { case (value, target) => ImplicitCast(value, target(value.dataType)) }
      val newColumns = columns.zip(targets).map { case (column, target) =>
        ImplicitCast(column, target(column.dataType)) match {
          case named: NamedExpression => named
          case cast => Alias(cast, column.name)()
        }
      }
      val newQuery =
        if (newColumns == columns) query.query
        else query.query.withNewPlan(Project(newColumns, query.query.plan))
      InSubquery(newValues, newQuery)
    }
  }

  private def all[T](options: Seq[Option[T]]): Option[Seq[T]] =
    Option.when(options.forall(_.isDefined))(options.flatten)
}
