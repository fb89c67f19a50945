// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.parser

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkException
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.{FunctionIdentifier, TableIdentifier}
import org.apache.spark.sql.internal.VariableSubstitution
import org.apache.spark.sql.types.{DataType, StructType}

import org.deltacollations.fallback.PlanFallback

/**
 * Lets SQL name collations as the log does, `COLLATE icu.UNICODE_CI`, knows the statements it was
 * given, and leaves the rest to the parser it was given, be it Spark's or Delta's.
 */
class CollationsParser(
    override protected val delegate: ParserInterface,
    statement: CollationsParser.Statement = (_, _) => None
) extends ParametersShim {

  private val variables = new VariableSubstitution

  override def parsePlan(text: String): LogicalPlan = parse(text, delegate.parsePlan)

  override protected def parse(text: String, delegated: String => LogicalPlan): LogicalPlan =
    parse(text)(translated => statement(translated, delegated).getOrElse(delegated(translated)))

  override def parseQuery(text: String): LogicalPlan = parse(text)(delegate.parseQuery)

  override def parseExpression(text: String): Expression = parse(text)(delegate.parseExpression)

  override def parseDataType(text: String): DataType = parse(text)(delegate.parseDataType)

  override def parseTableSchema(text: String): StructType = parse(text)(delegate.parseTableSchema)

  override def parseRoutineParam(text: String): StructType = parse(text)(delegate.parseRoutineParam)

  override def parseTableIdentifier(text: String): TableIdentifier =
    delegate.parseTableIdentifier(text)

  override def parseFunctionIdentifier(text: String): FunctionIdentifier =
    delegate.parseFunctionIdentifier(text)

  override def parseMultipartIdentifier(text: String): Seq[String] =
    delegate.parseMultipartIdentifier(text)

  private def translated(text: String): String =
    PlanFallback.unlessRefused(classOf[CollationsParser].getName, text) {
      CollateClauses.translate(variables.substitute(text))
    }

  /**
   * Spark raises an unknown name of a type in a class that PySpark does not translate; this one it
   * does, and Delta's parser lets it through.
   */
  private def parse[T](text: String)(delegated: String => T): T =
    try delegated(translated(text))
    catch {
      case unknown: SparkException if unknown.getCondition == CollationNameResolver.InvalidName =>
        val parameters = unknown.getMessageParameters.asScala.toMap
        throw ParseErrorShim(text, Origin(), CollationNameResolver.InvalidName, parameters)
    }
}

object CollationsParser {

  /** The plan of a text, if it is a statement of our own; the function parses what Spark knows. */
  type Statement = (String, String => LogicalPlan) => Option[LogicalPlan]
}
