// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.streaming

import java.util.concurrent.TimeUnit

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, CollationKey, Expression}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.{SparkSession, SparkSessionExtensions, classic}

import com.google.common.cache.CacheBuilder
import org.deltacollations.collation.{CollatedString, SparkCollations}
import org.deltacollations.config.CollationsConf
import org.deltacollations.errors.CollationsErrors
import org.deltacollations.expressions.SortKey
import org.deltacollations.protocol.CollationId

/**
 * Records in the checkpoint of a stream which version of ICU made the keys of its state, and stops a
 * stream whose state has keys of another version: equal strings could have two keys there.
 *
 * Spark plans every batch, so this rule sees each stateful operator before a task of its first batch
 * starts. It checks each operator once per run of the stream.
 */
final case class StateKeyVersions(session: SparkSession) extends Rule[SparkPlan] with Logging {

  override def apply(plan: SparkPlan): SparkPlan = {
    if (CollationsConf.StreamingEnabled.isEnabled)
      for {
        operator <- plan
        (state, keys) <- StatefulOperators.keysOf(operator)
      } checkOnce(state, versionsOf(keys, operator))
    plan
  }

  private def checkOnce(
      state: StatefulOperators.State,
      versions: => Map[String, KeyVersion]
  ): Unit = {
    val operatorOfRun = (state.run, state.operator)
    if (StateKeyVersions.checked.getIfPresent(operatorOfRun) == null) {
      Some(versions).filter(_.nonEmpty).foreach(check(state, _))
      StateKeyVersions.checked.put(operatorOfRun, true)
    }
  }

  private def check(
      state: StatefulOperators.State,
      versions: Map[String, KeyVersion]
  ): Unit = {
    val file =
      new KeyVersionFile(
        state.checkpoint,
        state.operator,
        session.asInstanceOf[classic.SparkSession].sessionState.newHadoopConf()
      )
    if (state.committedBatches == 0) file.write(versions)
    else
      file.read() match {
        case Some(recorded) => requireSameKeys(file, recorded, versions)
        case None =>
          logWarning(
            s"$file does not exist, so the version of ICU that made the keys of the stream's state is " +
              "not known. The stream continues as if it was the current one."
          )
          file.write(versions)
      }
  }

  private def requireSameKeys(
      file: KeyVersionFile,
      recorded: Map[String, KeyVersion],
      current: Map[String, KeyVersion]
  ): Unit = {
    def keys(versions: Map[String, KeyVersion]): Map[String, String] =
      versions.map { case (collation, version) => collation -> version.keyVersion }

    if (keys(recorded) != keys(current))
      throw CollationsErrors.streamStateOfOtherVersion(
        file.toString,
        KeyVersion.describe(recorded),
        KeyVersion.describe(current)
      )
  }

  /** Returns the versions of the keys. Key columns are computed somewhere below the operator. */
  private def versionsOf(keys: Seq[Expression], operator: SparkPlan): Map[String, KeyVersion] = {
    val aliases = operator.flatMap(_.expressions.flatMap(_.collect { case alias: Alias =>
      alias.exprId -> alias.child
    })).toMap
    keys.flatMap { key =>
      val computed = key.collect { case column: Attribute => aliases.get(column.exprId) }.flatten
      (key +: computed).flatMap(collationsOf)
    }.toMap.map { case (id, string) => id.unversioned.toString -> KeyVersion(string) }
  }

  private def collationsOf(expression: Expression): Seq[(CollationId, StringType)] =
    expression.collect {
      case SortKey(string, _) => string.dataType
      case CollationKey(string) => string.dataType
    }.collect { case CollatedString(string) => SparkCollations.versionedId(string) -> string }
}

object StateKeyVersions {

  /** Registers the rule without a fallback, and once: adaptive plans have no stateful operators. */
  def inject(extensions: SparkSessionExtensions): Unit = extensions.injectColumnar(session =>
    new ColumnarRule {
      override def preColumnarTransitions: Rule[SparkPlan] = StateKeyVersions(session)
    }
  )

  /** The operators of recent runs that were checked. */
  private val checked =
    CacheBuilder.newBuilder().expireAfterAccess(1, TimeUnit.HOURS).maximumSize(1000)
      .build[(String, Long), java.lang.Boolean]()
}
