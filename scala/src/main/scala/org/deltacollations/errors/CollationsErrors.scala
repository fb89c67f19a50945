// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.errors

import org.apache.spark.ErrorClassesJsonReader
import org.apache.spark.sql.AnalysisException

/** Creates the exceptions of this library: one method per entry of `collations-error-conditions.json`. */
object CollationsErrors {

  def columnNotCollated(
      column: String,
      table: String,
      collatedColumns: Seq[String]
  ): CollationsException = {
    val columns = if (collatedColumns.isEmpty) "none" else collatedColumns.mkString(", ")
    new CollationsException(
      "COLLATIONS_COLUMN_NOT_COLLATED",
      Map("column" -> column, "table" -> table, "columns" -> columns)
    )
  }

  def deltaNotFound(extension: String, coordinate: String): CollationsException =
    new CollationsException(
      "COLLATIONS_DELTA_NOT_FOUND",
      Map("extension" -> extension, "coordinate" -> coordinate)
    )

  def deltaPatchFailed(
      parameters: Map[String, String],
      cause: Option[Throwable]
  ): CollationsException =
    new CollationsException("COLLATIONS_DELTA_PATCH_FAILED", parameters, cause)

  def featureInUse(feature: String, column: String): CollationsException =
    new CollationsException(
      "COLLATIONS_FEATURE_IN_USE",
      Map("feature" -> feature, "column" -> column)
    )

  def invalidArgument(
      function: String,
      arguments: Seq[String],
      usage: String
  ): CollationsException =
    new CollationsException(
      "COLLATIONS_INVALID_ARGUMENT",
      Map("function" -> function, "given" -> arguments.mkString("(", ", ", ")"), "usage" -> usage)
    )

  def invalidSchema(path: String, found: String): CollationsException =
    new CollationsException("COLLATIONS_INVALID_SCHEMA", Map("path" -> path, "found" -> found))

  def streamStateOfOtherVersion(
      file: String,
      recorded: String,
      current: String
  ): CollationsException =
    new CollationsException(
      "COLLATIONS_STREAM_STATE_OF_OTHER_VERSION",
      Map("file" -> file, "recorded" -> recorded, "current" -> current)
    )

  def unsupportedCharVarcharColumn(column: String, dataType: String): CollationsException =
    new CollationsException(
      "COLLATIONS_UNSUPPORTED_COLUMN_TYPE.CHAR_VARCHAR",
      Map("column" -> column, "type" -> dataType)
    )

  def unsupportedMapKey(column: String, dataType: String): CollationsException =
    new CollationsException(
      "COLLATIONS_UNSUPPORTED_COLUMN_TYPE.MAP_KEY",
      Map("column" -> column, "type" -> dataType)
    )

  def unsupportedIceberg(property: String): CollationsException =
    new CollationsException("COLLATIONS_UNSUPPORTED_ICEBERG", Map("property" -> property))

  def unsupportedKernelRead(table: String, column: String): CollationsException =
    new CollationsException(
      "COLLATIONS_UNSUPPORTED_KERNEL_CONNECTOR.READ",
      Map("table" -> table, "column" -> column)
    )

  def unsupportedKernelWrite(table: String, column: String): CollationsException =
    new CollationsException(
      "COLLATIONS_UNSUPPORTED_KERNEL_CONNECTOR.WRITE",
      Map("table" -> table, "column" -> column)
    )

  def unsupportedSparkVersion(built: String, running: String): CollationsException =
    new CollationsException(
      "COLLATIONS_UNSUPPORTED_SPARK_VERSION",
      Map("built" -> built, "running" -> running)
    )

  def unsupportedStatefulFunction(column: String, dataType: String): CollationsException =
    new CollationsException(
      "COLLATIONS_UNSUPPORTED_STATEFUL_FUNCTION",
      Map("column" -> column, "type" -> dataType)
    )

  def unsupportedCharVarcharChange(column: String, dataType: String): CollationsException =
    new CollationsException(
      "COLLATIONS_UNSUPPORTED_TYPE_CHANGE.CHAR_VARCHAR",
      Map("column" -> column, "type" -> dataType)
    )

  def unsupportedPartitionColumnChange(column: String, dataType: String): CollationsException =
    new CollationsException(
      "COLLATIONS_UNSUPPORTED_TYPE_CHANGE.PARTITION_COLUMN",
      Map("column" -> column, "type" -> dataType)
    )

  private[errors] val conditions: ErrorClassesJsonReader = new ErrorClassesJsonReader(
    Seq(getClass.getClassLoader.getResource("error/collations-error-conditions.json"))
  )
}

/**
 * The only exception class of this library. It extends `AnalysisException`, because PySpark translates
 * that class; any other class reaches Python as a bare Py4J error.
 */
final class CollationsException private[errors] (
    condition: String,
    parameters: Map[String, String],
    cause: Option[Throwable] = None
) extends AnalysisException(
      message =
        s"[$condition] ${CollationsErrors.conditions.getErrorMessage(condition, parameters)}" +
          s" SQLSTATE: ${CollationsErrors.conditions.getSqlState(condition)}",
      cause = cause,
      errorClass = Some(condition),
      messageParameters = parameters
    ) {

  override def getSqlState: String = CollationsErrors.conditions.getSqlState(condition)
}
