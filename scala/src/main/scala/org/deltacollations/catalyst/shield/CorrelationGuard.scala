// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.catalyst.shield

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeMap,
  AttributeSet,
  Cast,
  Equality,
  Expression,
  OuterReference,
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
    case _: Filter | _: Project | _: LateralJoin if subqueries(node).nonEmpty => withPlainOuterColumns(node)
    case _ => node
  }

  private def subqueries(node: LogicalPlan): Seq[SubqueryExpression] =
    node.expressions.flatMap(_.collect {
      case query: SubqueryExpression if query.isCorrelated => query
    })

  private def withPlainOuterColumns(node: LogicalPlan): LogicalPlan = {
    val outer = subqueries(node).flatMap(query => outerColumns(query.plan)).filter(Keys.isLoose)
    val plain = AttributeMap(AttributeSet(outer).toSeq.map { column =>
      column -> Alias(Cast(column, CollatedTypes.plain(column.dataType)), column.name)()
    })
    val wider = node.mapChildren { child =>
      val added = child.output.flatMap(plain.get)
      if (added.isEmpty) child else Project(child.output ++ added, child)
    }
    val asked = wider.transformExpressions {
      case query: SubqueryExpression if query.isCorrelated => rewritten(query, plain)
    }
    if (asked.output == node.output) asked else Project(node.output, asked)
  }

  private def outerColumns(plan: LogicalPlan): Seq[Attribute] =
    plan.flatMap(_.expressions.flatMap(_.collect { case OuterReference(column: Attribute) =>
      column
    }))

  private def rewritten(query: SubqueryExpression, plain: AttributeMap[Alias]): Expression =
    query
      .withNewPlan(query.plan.transformAllExpressions {
        case OuterReference(column: Attribute) if plain.contains(column) =>
          Cast(OuterReference(plain(column).toAttribute), column.dataType)
        case equality @ Equality(left, right)
            if equality.exists(_.isInstanceOf[OuterReference]) =>
          equality.withNewChildren(Seq(left, right).map(withoutCast))
      })
      // Its children are the outer columns it asks for.
      .mapChildren(_.transform {
        case column: Attribute if plain.contains(column) => plain(column).toAttribute
      })

  private def withoutCast(side: Expression): Expression = side match {
    case Cast(column: Attribute, _, _, _) if Keys.isLoose(column) || Keys.isLoose(side) =>
      Veiled(side)
    case _ => side
  }
}
