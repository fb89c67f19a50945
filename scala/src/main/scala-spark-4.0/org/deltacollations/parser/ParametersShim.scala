// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.parser

import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Up to Spark 4.0, the analyzer binds SQL parameters, so the parser does not handle them. */
trait ParametersShim extends ParserInterface {

  protected def delegate: ParserInterface

  protected def parse(text: String, delegated: String => LogicalPlan): LogicalPlan
}
