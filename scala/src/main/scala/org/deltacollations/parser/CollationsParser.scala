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
 * Parses collation identifiers of the Delta log, `COLLATE icu.UNICODE_CI`, and the statements of this
 * library. It delegates everything else to another parser, Spark's or Delta's.
 */
class CollationsParser(
    override protected val delegate: ParserInterface,
    statement: CollationsParser.Statement = (_, _) => None
) extends ParametersShim
    with StatementsShim {

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

  private def translate(text: String): String =
    PlanFallback.orElseExceptUserErrors(classOf[CollationsParser].getName, text) {
      CollateClauses.translate(variables.substitute(text))
    }

  /**
   * Converts Spark's error for an unknown collation of a type to a `ParseException`. PySpark does not
   * convert the class that Spark throws, and Delta's parser rethrows a `ParseException` unchanged.
   */
  private def parse[T](text: String)(delegated: String => T): T =
    try delegated(translate(text))
    catch {
      case error: SparkException if error.getCondition == CollationNameResolver.InvalidName =>
        val parameters = error.getMessageParameters.asScala.toMap
        throw ParseErrorShim(text, Origin(), CollationNameResolver.InvalidName, parameters)
    }
}

object CollationsParser {

  /**
   * Returns the plan of a statement of this library, or `None` for any other SQL text. The function
   * is the delegate's parser.
   */
  type Statement = (String, String => LogicalPlan) => Option[LogicalPlan]
}
