// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.correctness

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  Cast,
  Equality,
  Expression,
  ExtractValue,
  OuterReference,
  SubExprUtils,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LateralJoin, LogicalPlan, Project}

import org.deltacollations.collation.CollatedTypes

/**
 * Passes outer values to correlated subqueries as `UTF8_BINARY` strings, which the subquery casts
 * back to the collated type.
 *
 * Spark evaluates a correlated subquery once for all equal outer values, or substitutes an equal
 * inner column for them. So `(SELECT … WHERE hex(u.c) = hex(t.c))` would return the result for `a`
 * at `A` too.
 *
 * Spark also assumes that a cast keeps equal values equal and different values different. That is
 * wrong for a cast from or to a collated string, so such casts in correlated equalities get a
 * barrier.
 */
object BinaryOuterReferences extends CorrectnessFix {

  override protected def rewrite(node: LogicalPlan): LogicalPlan = node match {
    case _: Filter | _: Project | _: LateralJoin if subqueries(node).nonEmpty =>
      withBinaryOuterValues(node)
    case _ => node
  }

  private def subqueries(node: LogicalPlan): Seq[SubqueryExpression] =
    node.expressions.flatMap(_.collect {
      case query: SubqueryExpression if query.isCorrelated => query
    })

  private def withBinaryOuterValues(node: LogicalPlan): LogicalPlan = {
    val binaryValues = subqueries(node).flatMap(query => outerValues(query.plan))
      .filter(value =>
        !CollatedTypes.isBinaryStable(value.dataType) && value.references.subsetOf(node.inputSet)
      )
      .map(value => value.canonicalized -> binaryAlias(value)).toMap
    val withInputs = node.mapChildren { child =>
      val added = binaryValues.values.filter(_.references.subsetOf(child.outputSet))
      if (added.isEmpty) child else Project(child.output ++ added, child)
    }
    val rewritten = withInputs.transformExpressions {
      case query: SubqueryExpression if query.isCorrelated => rewriteSubquery(query, binaryValues)
    }
    if (rewritten.output == node.output) rewritten else Project(node.output, rewritten)
  }

  /**
   * Hides the column of an extracted value. Spark puts a copy of the outer plan, with the same
   * expression ids, into some subqueries. If the copy read a single field, `SchemaPruning` would give
   * the column another type there, which fails Spark's plan validation.
   */
  private def binaryAlias(value: Expression): Alias = {
    val read = value match {
      case extracted: ExtractValue =>
        extracted.transformUp { case column: Attribute => OptimizationBarrier(column) }
      case column => column
    }
    Alias(Cast(read, CollatedTypes.withoutCollations(value.dataType)), value.sql)()
  }

  private def outerValues(plan: LogicalPlan): Seq[Expression] = {
    def collect(expression: Expression): Seq[Expression] = expression match {
      case OuterValue(value) => Seq(value)
      case other => other.children.flatMap(collect)
    }
    plan.flatMap(_.expressions.flatMap(collect))
  }

  private def rewriteSubquery(
      query: SubqueryExpression,
      binaryValues: Map[Expression, Alias]
  ): Expression = {
    def rewriteExpression(expression: Expression): Expression = expression match {
      case outer @ OuterValue(value) =>
        binaryValues.get(value.canonicalized).fold(outer)(alias =>
          Cast(OuterReference(alias.toAttribute), value.dataType)
        )
      case equality @ Equality(_, _) if equality.exists(_.isInstanceOf[OuterReference]) =>
        equality.mapChildren(side => hideCast(rewriteExpression(side)))
      case other => other.mapChildren(rewriteExpression)
    }
    val plan = query.plan.transformDown { case node => node.mapExpressions(rewriteExpression) }
    query.withNewPlan(plan).withNewOuterAttrs(SubExprUtils.getOuterReferences(plan))
  }

  /**
   * Matches an outer column, or a field, element or map value of one, and returns it as an
   * expression of the outer plan. Spark does not allow correlation by a whole map.
   */
  private object OuterValue {
    def unapply(expression: Expression): Option[Expression] = expression match {
      case OuterReference(column: Attribute) => Some(column)
      case value: ExtractValue
          if value.references.isEmpty && value.exists(_.isInstanceOf[OuterReference]) =>
        Some(value.transform { case OuterReference(column: Attribute) => column })
      case _ => None
    }
  }

  private def hideCast(side: Expression): Expression = side match {
    case Cast(column: Attribute, _, _, _)
        if !Seq(column, side).forall(value => CollatedTypes.isBinaryStable(value.dataType)) =>
      OptimizationBarrier(side)
    case _ => side
  }
}
