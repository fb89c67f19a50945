// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.streaming

import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.types.StringType

import com.fasterxml.jackson.databind.ObjectMapper
import org.deltacollations.collation.{CollatedString, SortKeyVersion, SparkCollations}

/**
 * The version of the sort keys of one collation.
 *
 * @param keyVersion
 *   the version of the data that keys are made from; keys of the same version have the same bytes
 * @param icuVersion
 *   the version of ICU, for messages
 */
final private[streaming] case class KeyVersion(keyVersion: String, icuVersion: String)

private[streaming] object KeyVersion {

  def apply(string: StringType): KeyVersion = KeyVersion(
    SortKeyVersion.of(CollatedString.nameOf(string)),
    SparkCollations.versionedId(string).version.getOrElse("")
  )

  /** Returns names with ICU versions: `icu.UNICODE_CI.78.3`. */
  def describe(versions: Map[String, KeyVersion]): String =
    versions.map { case (collation, version) => s"$collation.${version.icuVersion}" }.toSeq.sorted
      .mkString(", ")
}

/** The file in the checkpoint of a stream with the versions of the keys of one operator, as JSON. */
final private[streaming] class KeyVersionFile(
    stateLocation: String,
    operator: Long,
    configuration: Configuration
) {

  private val folder = new Path(new Path(stateLocation, operator.toString), "_metadata")

  private val path = new Path(folder, "collation-keys.json")

  private val files = StatefulOperatorsShim.FileManager.create(folder, configuration)

  override def toString: String = path.toString

  def read(): Option[Map[String, KeyVersion]] = Option.when(files.exists(path)) {
    val in = files.open(path)
    try
      KeyVersionFile.mapper.readTree(in.readAllBytes()).properties.asScala.map { entry =>
        val version = entry.getValue
        def field(name: String): String = version.path(name).asText
        entry.getKey -> KeyVersion(field("keyVersion"), field("icuVersion"))
      }.toMap
    finally in.close()
  }

  /** Replaces the file, so that a reader sees either none or a complete one. */
  def write(versions: Map[String, KeyVersion]): Unit = {
    val json = KeyVersionFile.mapper.createObjectNode()
    versions.toSeq.sortBy(_._1).foreach { case (collation, version) =>
      json.putObject(collation).put("keyVersion", version.keyVersion)
        .put("icuVersion", version.icuVersion)
    }
    files.mkdirs(folder)
    val out = files.createAtomic(path, overwriteIfPossible = true)
    try {
      out.write(json.toString.getBytes(UTF_8))
      out.close()
    } catch {
      case failure: Throwable =>
        out.cancel()
        throw failure
    }
  }
}

private object KeyVersionFile {

  private val mapper = new ObjectMapper
}
