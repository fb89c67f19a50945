// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.parser

import org.apache.spark.sql.catalyst.parser.{ParameterContext, ParserInterface}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.SQLConf

/** From Spark 4.1 on the parser is given the values of parameters, and puts them into the text. */
trait ParametersShim extends ParserInterface {

  protected def delegate: ParserInterface

  protected def parse(text: String, delegated: String => LogicalPlan): LogicalPlan

  override def parsePlanWithParameters(text: String, parameters: ParameterContext): LogicalPlan =
    parse(text, bound(_, parameters))

  /** In its legacy mode Spark puts in the values later, whatever parser there is. */
  private def bound(text: String, parameters: ParameterContext): LogicalPlan =
    if (SQLConf.get.legacyParameterSubstitutionConstantsOnly)
      delegate.parsePlanWithParameters(text, parameters)
    else SqlParameters.bound(text, parameters)(delegate.parsePlan)
}
