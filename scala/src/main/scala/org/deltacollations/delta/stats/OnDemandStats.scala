// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats

import org.apache.spark.sql.delta.actions.Protocol
import org.apache.spark.sql.delta.expressions.EncodeNestedVariantAsZ85String
import org.apache.spark.sql.delta.stats.{
  DeltaStatsColumnSpec,
  StatisticsCollection,
  StatsCollectionUtils
}
import org.apache.spark.sql.delta.{DeltaColumnMappingMode, Snapshot}
import org.apache.spark.sql.functions.{lit, to_json}
import org.apache.spark.sql.types.{DataType, StringType, StructField, StructType, VariantType}
import org.apache.spark.sql.{Column, SparkSession}

import org.deltacollations.collation.CollatedString
import org.deltacollations.delta.util.ColumnConversions

/** Collects the statistics of existing files as Delta does when it writes them. */
final private[delta] class OnDemandStats private (
    snapshot: Snapshot,
    override val outputTableStatsSchema: StructType,
    override val statsColumnSpec: DeltaStatsColumnSpec
) extends StatisticsCollection {

  /** Returns the statistics as JSON, in the form of the log. */
  def asJson: Column = to_json(
    if (OnDemandStats.hasVariants(outputTableStatsSchema)) VariantEncoding(statsCollector)
    else statsCollector
  )

  /** Returns the code points of the collated columns as JSON, in the form of `CodePointTag`. */
  def codePoints: Column =
    StatsExpressions.codePoints(StatsCollector.columns(this))
      .fold(lit(null).cast(StringType))(value => to_json(ColumnConversions.of(value)))

  override protected def spark: SparkSession = SparkSession.active

  override def tableSchema: StructType = snapshot.tableSchema

  override def outputAttributeSchema: StructType = snapshot.outputAttributeSchema

  override def columnMappingMode: DeltaColumnMappingMode = snapshot.columnMappingMode

  override protected def protocol: Protocol = snapshot.protocol

  override protected def getDataSkippingStringPrefixLength: Int =
    StatsCollectionUtils.getDataSkippingStringPrefixLength(spark, snapshot.metadata)
}

private[delta] object OnDemandStats {

  /** Collects the statistics of all columns, for files without statistics. */
  def allColumns(snapshot: Snapshot): OnDemandStats =
    new OnDemandStats(snapshot, snapshot.outputTableStatsSchema, snapshot.statsColumnSpec)

  /** Collects the statistics of the collated columns only, so that Spark reads no other columns. */
  def collated(snapshot: Snapshot): OnDemandStats = {
    // The snapshot has applied the limit of indexed columns, which counts columns of all types.
    val unlimited = DeltaStatsColumnSpec(None, Some(-1))
    new OnDemandStats(snapshot, onlyCollated(snapshot.statCollectionPhysicalSchema), unlimited)
  }

  private def hasVariants(dataType: DataType): Boolean = dataType match {
    case struct: StructType => struct.exists(field => hasVariants(field.dataType))
    case other => other.isInstanceOf[VariantType]
  }

  private def onlyCollated(schema: StructType): StructType = StructType(schema.fields.flatMap {
    case field @ StructField(_, struct: StructType, _, _) =>
      Some(field.copy(dataType = onlyCollated(struct))).filter(_ => onlyCollated(struct).nonEmpty)
    case field => Some(field).filter(_ => CollatedString.unapply(field.dataType).isDefined)
  })
}

/** A separate class, because Delta 4.0 has no such expression: it is loaded only if it is needed. */
private object VariantEncoding {

  def apply(statistics: Column): Column =
    ColumnConversions.of(EncodeNestedVariantAsZ85String(ColumnConversions.expression(statistics)))
}
