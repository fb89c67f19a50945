// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.catalyst.shield

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

import org.deltacollations.catalyst.CollatedTypes
import org.deltacollations.catalyst.speed.Keys

/**
 * Spark runs a correlated subquery once for all outer values that are equal, or puts an equal inner
 * column in their place: `(SELECT … WHERE hex(u.c) = hex(t.c))` has the answer for `a` at `A` too.
 *
 * So the subquery is given the outer value as a plain string, of which the equal ones are the same,
 * and makes the collated one of it. And a cast between collations does not keep groups apart or
 * together as Spark believes.
 */
object CorrelationGuard extends Guard {

  override protected def guarded(node: LogicalPlan): LogicalPlan = node match {
    case _: Filter | _: Project | _: LateralJoin if subqueries(node).nonEmpty =>
      withPlainOuterValues(node)
    case _ => node
  }

  private def subqueries(node: LogicalPlan): Seq[SubqueryExpression] =
    node.expressions.flatMap(_.collect {
      case query: SubqueryExpression if query.isCorrelated => query
    })

  private def withPlainOuterValues(node: LogicalPlan): LogicalPlan = {
    val plain = subqueries(node).flatMap(query => outerValues(query.plan))
      .filter(value => Keys.isLoose(value) && value.references.subsetOf(node.inputSet))
      .map(value => value.canonicalized -> plainAlias(value)).toMap
    val wider = node.mapChildren { child =>
      val added = plain.values.filter(_.references.subsetOf(child.outputSet))
      if (added.isEmpty) child else Project(child.output ++ added, child)
    }
    val asked = wider.transformExpressions {
      case query: SubqueryExpression if query.isCorrelated => rewritten(query, plain)
    }
    if (asked.output == node.output) asked else Project(node.output, asked)
  }

  /**
   * Hides the column of an extracted value. Spark puts a copy of the outer plan, with the same
   * expression ids, into some subqueries. If the copy read a single field, `SchemaPruning` would give
   * the column another type there, which fails Spark's plan validation.
   */
  private def plainAlias(value: Expression): Alias = {
    val read = value match {
      case extracted: ExtractValue =>
        extracted.transformUp { case column: Attribute => Veiled(column) }
      case column => column
    }
    Alias(Cast(read, CollatedTypes.plain(value.dataType)), value.sql)()
  }

  private def outerValues(plan: LogicalPlan): Seq[Expression] = {
    def within(expression: Expression): Seq[Expression] = expression match {
      case OuterValue(value) => Seq(value)
      case other => other.children.flatMap(within)
    }
    plan.flatMap(_.expressions.flatMap(within))
  }

  private def rewritten(query: SubqueryExpression, plain: Map[Expression, Alias]): Expression = {
    def within(expression: Expression): Expression = expression match {
      case outer @ OuterValue(value) => plain.get(value.canonicalized).fold(outer)(alias =>
          Cast(OuterReference(alias.toAttribute), value.dataType)
        )
      case equality @ Equality(_, _) if equality.exists(_.isInstanceOf[OuterReference]) =>
        equality.mapChildren(side => withoutCast(within(side)))
      case other => other.mapChildren(within)
    }
    val plan = query.plan.transformDown { case node => node.mapExpressions(within) }
    query.withNewPlan(plan).withNewOuterAttrs(SubExprUtils.getOuterReferences(plan))
  }

  /**
   * Matches an outer column, or a field, element or map value of one, and returns it as an expression
   * of the outer plan. Spark cannot correlate by a whole map.
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

  private def withoutCast(side: Expression): Expression = side match {
    case Cast(column: Attribute, _, _, _) if Keys.isLoose(column) || Keys.isLoose(side) =>
      Veiled(side)
    case _ => side
  }
}
