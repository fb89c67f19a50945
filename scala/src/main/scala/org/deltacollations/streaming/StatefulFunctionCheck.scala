// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.streaming

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import org.deltacollations.collation.CollatedTypes
import org.deltacollations.config.CollationsConf
import org.deltacollations.errors.CollationsErrors

/**
 * Rejects functions with state that are grouped by a collated column of a stream, before the stream
 * starts. The function gets the key of its group, and Spark stores the state under the bytes of the key.
 */
object StatefulFunctionCheck extends (LogicalPlan => Unit) {

  override def apply(plan: LogicalPlan): Unit =
    if (plan.isStreaming && CollationsConf.StreamingEnabled.isEnabled)
      plan.foreach { node =>
        StatefulOperators.groupsOf(node)
          .find(column => !CollatedTypes.isBinaryStable(column.dataType))
          .foreach(column =>
            throw CollationsErrors.unsupportedStatefulFunction(column.name, column.dataType.sql)
          )
      }
}
