// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.parser

import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Up to Spark 4.0 values of parameters are put into the plan: no parser sees them. */
trait ParametersShim extends ParserInterface {

  protected def delegate: ParserInterface

  protected def parse(text: String, delegated: String => LogicalPlan): LogicalPlan
}
