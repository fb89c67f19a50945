// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats

import java.nio.file.Path
import java.util.concurrent.ConcurrentHashMap

import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StringType

import org.deltacollations.collation.SparkCollations
import org.deltacollations.collation.versions.{IcuOrderChanges, IsolatedIcu, OtherIcuOrder}
import org.deltacollations.config.CollationsConf
import org.deltacollations.protocol.{CollationId, WriteVersions}
import org.slf4j.LoggerFactory

/**
 * The versions of collations, beside the running one, that other engines on the same tables go by.
 * Writers leave bounds for them: those that are proven to hold, and those that are computed by that
 * very version. No others.
 */
private[delta] object AdditionalIcuVersions {

  private val log = LoggerFactory.getLogger(getClass)

  /**
   * What a session and a table ask for, of the columns that a file has bounds of in the running
   * version. RFC, "Collation versions".
   */
  def asked(
      listed: => WriteVersions,
      found: Seq[(CollationId, Seq[String])]
  ): Seq[(CollationId, Seq[String])] = for {
    (id, path) <- found if id == running(id)
    other <- asked(listed, id)
  } yield other -> path

  private def running(id: CollationId): CollationId =
    SparkCollations.canonicalName(id.name)
      .fold(id.unversioned)(name => SparkCollations.versionedId(StringType(name)))

  def asked(listed: WriteVersions, running: CollationId): Seq[CollationId] =
    if (running.version.isEmpty) Nil
    else
      (CollationsConf.StatsVersions.values ++ jars.map(_.version) ++ listed.of(running)).distinct
        .filterNot(running.version.contains)
        .map(version => running.copy(version = Some(version)))

  /** What is collected beside `columns`: by the versions that someone has named the jars of. */
  def computed(columns: Seq[StatsColumn]): Seq[StatsColumn] = for {
    jar <- jars
    column <- columns if column.id.version.exists(_ != jar.version)
    id = column.id.copy(version = Some(jar.version)) if !isProvenForAll(column.id, id)
    order = OtherIcuOrder(column.id.name, jar.file) if order.isTotal
  } yield column.copy(id = id, order = order)

  /** Whether both versions order all strings alike, so that there is nothing to compute. */
  private def isProvenForAll(running: CollationId, other: CollationId): Boolean =
    CollationsConf.CertificatesEnabled.isOn &&
      IcuOrderChanges.shipped.affected(running, other).exists(_.isEmpty)

  final private case class ShippedJar(version: String, file: String)

  private def jars: Seq[ShippedJar] = CollationsConf.IcuJars.values.flatMap(shipped)

  /** A jar that every executor has, or none if it is no ICU, which is said once. */
  private def shipped(path: String): Option[ShippedJar] = {
    val context = SparkSession.active.sparkContext
    known.computeIfAbsent(
      (context.applicationId, path),
      _ =>
        Try {
          val version = IsolatedIcu(Path.of(path)).version
          context.addFile(path)
          ShippedJar(version, Path.of(path).getFileName.toString)
        } match {
          case Success(jar) => Some(jar)
          case Failure(reason) =>
            log.warn(
              s"${CollationsConf.IcuJars.key} names $path, which is no jar of ICU4J ($reason). " +
                "No bounds are computed by it."
            )
            None
        }
    )
  }

  private val known = new ConcurrentHashMap[(String, String), Option[ShippedJar]]
}
