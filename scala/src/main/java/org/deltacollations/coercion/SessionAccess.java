// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.coercion;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;

/**
 * Reads a private member of Spark's session. Scala compiles it to a public method, so Java can access
 * it.
 */
final class SessionAccess {

  private SessionAccess() {}

  static SparkSessionExtensions extensions(SparkSession session) {
    return ((org.apache.spark.sql.classic.SparkSession) session).extensions();
  }
}
