// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.errors

import org.apache.spark.ErrorClassesJsonReader
import org.apache.spark.sql.AnalysisException

/** Every failure a user can meet: one method per entry of `collations-error-conditions.json`. */
object CollationsErrors {

  def argumentInvalid(
      function: String,
      arguments: Seq[String],
      usage: String
  ): CollationsException =
    new CollationsException(
      "COLLATIONS_ARGUMENT_INVALID",
      Map("function" -> function, "given" -> arguments.mkString("(", ", ", ")"), "usage" -> usage)
    )

  def changeOfLimitedString(column: String, dataType: String): CollationsException =
    new CollationsException(
      "COLLATIONS_CHANGE_UNSUPPORTED.LIMITED_LENGTH",
      Map("column" -> column, "type" -> dataType)
    )

  def changeOfPartitionColumn(column: String, dataType: String): CollationsException =
    new CollationsException(
      "COLLATIONS_CHANGE_UNSUPPORTED.PARTITION",
      Map("column" -> column, "type" -> dataType)
    )

  def columnNotCollated(column: String, table: String, known: Seq[String]): CollationsException = {
    val columns = if (known.isEmpty) "none" else known.mkString(", ")
    new CollationsException(
      "COLLATIONS_COLUMN_NOT_COLLATED",
      Map("column" -> column, "table" -> table, "columns" -> columns)
    )
  }

  def mapKeyUnsupported(column: String, dataType: String): CollationsException =
    new CollationsException(
      "COLLATIONS_COLUMN_UNSUPPORTED.MAP_KEY",
      Map("column" -> column, "type" -> dataType)
    )

  def fixedLengthUnsupported(column: String, dataType: String): CollationsException =
    new CollationsException(
      "COLLATIONS_COLUMN_UNSUPPORTED.FIXED_LENGTH",
      Map("column" -> column, "type" -> dataType)
    )

  def deltaMissing(extension: String, coordinate: String): CollationsException =
    new CollationsException(
      "COLLATIONS_DELTA_MISSING",
      Map("extension" -> extension, "coordinate" -> coordinate)
    )

  def featureInUse(feature: String, column: String): CollationsException =
    new CollationsException(
      "COLLATIONS_FEATURE_IN_USE",
      Map("feature" -> feature, "column" -> column)
    )

  def hookFailed(parameters: Map[String, String], cause: Option[Throwable]): CollationsException =
    new CollationsException("COLLATIONS_HOOK_FAILED", parameters, cause)

  def icebergUnsupported(property: String): CollationsException =
    new CollationsException("COLLATIONS_ICEBERG_UNSUPPORTED", Map("property" -> property))

  def platformUnsupported(built: String, running: String): CollationsException =
    new CollationsException(
      "COLLATIONS_PLATFORM_UNSUPPORTED",
      Map("built" -> built, "running" -> running)
    )

  def schemaMalformed(path: String, found: String): CollationsException =
    new CollationsException(
      "COLLATIONS_SCHEMA_MALFORMED",
      Map("path" -> path, "found" -> found)
    )

  private[errors] val catalogue: ErrorClassesJsonReader = new ErrorClassesJsonReader(
    Seq(getClass.getClassLoader.getResource("error/collations-error-conditions.json"))
  )
}

/**
 * The only exception type of this library. It extends `AnalysisException` because that is a class
 * PySpark knows how to translate; others reach Python as a bare Py4J error.
 */
final class CollationsException private[errors] (
    condition: String,
    parameters: Map[String, String],
    cause: Option[Throwable] = None
) extends AnalysisException(
      message =
        s"[$condition] ${CollationsErrors.catalogue.getErrorMessage(condition, parameters)}" +
          s" SQLSTATE: ${CollationsErrors.catalogue.getSqlState(condition)}",
      cause = cause,
      errorClass = Some(condition),
      messageParameters = parameters
    ) {

  override def getSqlState: String = CollationsErrors.catalogue.getSqlState(condition)
}
