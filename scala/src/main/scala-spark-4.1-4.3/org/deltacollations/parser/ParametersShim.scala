// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.parser

import org.apache.spark.sql.catalyst.parser.{ParameterContext, ParserInterface}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.SQLConf

/** Binds SQL parameters. Since Spark 4.1, the parser substitutes their values in the text. */
trait ParametersShim extends ParserInterface {

  protected def delegate: ParserInterface

  protected def parse(text: String, delegated: String => LogicalPlan): LogicalPlan

  override def parsePlanWithParameters(text: String, parameters: ParameterContext): LogicalPlan =
    parse(text, bind(_, parameters))

  /** In its legacy mode, Spark binds the values in the analyzer. */
  private def bind(text: String, parameters: ParameterContext): LogicalPlan =
    if (SQLConf.get.legacyParameterSubstitutionConstantsOnly)
      delegate.parsePlanWithParameters(text, parameters)
    else SqlParameters.bind(text, parameters)(delegate.parsePlan)
}
