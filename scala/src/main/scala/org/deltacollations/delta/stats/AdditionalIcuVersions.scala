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
 * Determines the ICU versions, apart from the current one, for which writers add bounds, because other
 * engines read the same tables with these versions.
 *
 * Writers add only correct bounds: current bounds that are proven to hold in the other version, and
 * bounds computed by the other version, loaded from its own jar.
 */
private[delta] object AdditionalIcuVersions {

  private val log = LoggerFactory.getLogger(getClass)

  /**
   * Returns the bounds in other versions that the session and the table request for the columns of a
   * file. RFC, "Collation versions".
   *
   * @param listed
   *   the versions that the table lists in its metadata domain
   * @param columnsWithBounds
   *   the columns for which the file has bounds; those in other than the current version are ignored
   */
  def requestedBounds(
      listed: => WriteVersions,
      columnsWithBounds: Seq[(CollationId, Seq[String])]
  ): Seq[(CollationId, Seq[String])] = for {
    (id, path) <- columnsWithBounds if id == currentVersion(id)
    other <- requestedVersions(listed, id)
  } yield other -> path

  private def currentVersion(id: CollationId): CollationId =
    SparkCollations.canonicalName(id.name)
      .fold(id.unversioned)(name => SparkCollations.versionedId(StringType(name)))

  /** Returns the other versions of `current` that the session and the table request. */
  def requestedVersions(listed: WriteVersions, current: CollationId): Seq[CollationId] =
    if (current.version.isEmpty) Nil
    else {
      val session = CollationsConf.IcuVersions.values ++ jars.map(_.version)
      (session ++ listed.versionsOf(current)).distinct
        .filterNot(current.version.contains)
        .map(version => current.copy(version = Some(version)))
    }

  /**
   * Returns the columns to collect in addition to `columns`, in the versions whose jars the session
   * lists.
   */
  def computed(columns: Seq[StatsColumn]): Seq[StatsColumn] = for {
    jar <- jars
    column <- columns if column.id.version.exists(_ != jar.version)
    id = column.id.copy(version = Some(jar.version)) if !isSameOrder(column.id, id)
    order = OtherIcuOrder(column.id.name, jar.fileName) if order.isTotalOrder
  } yield column.copy(id = id, order = order)

  /**
   * Returns whether both versions are proven to order all strings the same way. Then the current bounds
   * are relabeled, and nothing has to be computed.
   */
  private def isSameOrder(current: CollationId, other: CollationId): Boolean =
    CollationsConf.RelabelEnabled.isEnabled &&
      IcuOrderChanges.shipped.changedCodePoints(current, other).exists(_.isEmpty)

  /** An ICU4J jar that `SparkContext.addFile` distributes to the executors. */
  final private case class IcuJar(version: String, fileName: String)

  private def jars: Seq[IcuJar] = CollationsConf.IcuJars.values.flatMap(distributed)

  /** Returns none, and logs that once, if the file is not an ICU4J jar. */
  private def distributed(path: String): Option[IcuJar] = {
    val context = SparkSession.active.sparkContext
    jarsByPath.computeIfAbsent(
      (context.applicationId, path),
      _ =>
        Try {
          val version = IsolatedIcu(Path.of(path)).version
          context.addFile(path)
          IcuJar(version, Path.of(path).getFileName.toString)
        } match {
          case Success(jar) => Some(jar)
          case Failure(reason) =>
            log.warn(
              s"${CollationsConf.IcuJars.key} lists $path, which is not a usable ICU4J jar " +
                s"($reason). No bounds are computed with it."
            )
            None
        }
    )
  }

  private val jarsByPath = new ConcurrentHashMap[(String, String), Option[IcuJar]]
}
