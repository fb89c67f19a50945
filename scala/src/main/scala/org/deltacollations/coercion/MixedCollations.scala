// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.coercion

import java.util.{Collections, WeakHashMap}

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}

import org.deltacollations.config.CollationsConf

/** Decides whether `UTF8_BINARY` strings are cast to the collation of other strings. */
private[deltacollations] object MixedCollations {

  /** Spark's classes are changed for the whole JVM, which can have sessions without this extension. */
  private val extended =
    Collections.newSetFromMap(
      Collections.synchronizedMap(new WeakHashMap[SparkSessionExtensions, java.lang.Boolean])
    )

  /** Enables the feature in the sessions that use these extensions. */
  def enableIn(extensions: SparkSessionExtensions): Unit = {
    val _ = extended.add(extensions)
  }

  private[coercion] def isEnabled: Boolean =
    CollationsConf.CoercionEnabled.isEnabled &&
      SparkSession.getActiveSession.orElse(SparkSession.getDefaultSession)
        .exists(session => extended.contains(SessionAccess.extensions(session)))
}
