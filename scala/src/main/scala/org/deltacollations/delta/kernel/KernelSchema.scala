// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.kernel

import io.delta.kernel.types.{
  ArrayType => KernelArray,
  CollationIdentifier,
  DataType => KernelType,
  MapType => KernelMap,
  StringType => KernelString,
  StructType => KernelStruct
}
import org.apache.spark.sql.types._

import org.deltacollations.collation.{CollatedString, SparkCollations}
import org.deltacollations.delta.schema.SchemaSerialization
import org.deltacollations.patch.{Hook, HookKind}
import org.deltacollations.protocol.SchemaJson

/**
 * Keeps collations when Delta's Kernel-based connector converts schemas between Kernel and Spark.
 * Kernel parses collations, but the connector converts every string to `STRING`.
 *
 * The connector needs no other change to compare strings by their collation: Spark gives it filters on
 * collated columns as `CollatedFilter`, which neither Kernel nor Spark's Parquet reader evaluates.
 *
 * If one of these hooks is missing, [[KernelConnectorCheck]] rejects collated tables.
 */
private[delta] object KernelSchema {

  private val converter = "io.delta.spark.internal.v2.utils.SchemaUtils"

  /** Delta 4.0 does not have the connector, and Delta 4.1 comes without Kernel. */
  private val connector = Seq(converter, "io.delta.kernel.types.CollationIdentifier")

  private val degradation = "Delta's Kernel-based connector cannot read collated tables"

  val reading: Hook = Hook(
    name = "kernel-schema-reading",
    className = converter,
    method = "convertKernelSchemaToSparkSchema",
    signatures = Seq("(io.delta.kernel.types.StructType): sql.types.StructType"),
    kind = HookKind.ReplaceResult,
    degradation = degradation,
    requires = Set("kernel-schema-writing"),
    onlyWith = connector,
    replace = call =>
      withCollationsOf(
        call.arguments(0).asInstanceOf[KernelStruct],
        call.value.asInstanceOf[StructType]
      )
  )

  /** Used for schemas that a stream has persisted and compares with those of the table. */
  val writing: Hook = Hook(
    name = "kernel-schema-writing",
    className = converter,
    method = "convertSparkDataTypeToKernelDataType",
    signatures = Seq("(sql.types.DataType): io.delta.kernel.types.DataType"),
    kind = HookKind.ReplaceResult,
    degradation = degradation,
    requires = Set("kernel-schema-reading"),
    onlyWith = connector,
    replace = call =>
      call.arguments(0) match {
        case CollatedString(string) => kernelType(string)
        case _ => call.value
      }
  )

  private def kernelType(string: StringType): AnyRef = {
    val id = SparkCollations.identifier(CollatedString.nameOf(string))
    new KernelString(CollationIdentifier.fromString(id.toString))
  }

  /** Removes Kernel's copy of the collations from the metadata, as Spark does when it parses a schema. */
  private def withCollationsOf(kernel: KernelStruct, spark: StructType): StructType =
    StructType(spark.fields.zipWithIndex.map { case (field, index) =>
      val metadata = new MetadataBuilder().withMetadata(field.metadata)
        .remove(SchemaJson.Collations).build()
      val kernelType = kernel.at(index).getDataType
      field.copy(dataType = withCollationsOf(kernelType, field.dataType), metadata = metadata)
    })

  private def withCollationsOf(kernel: KernelType, spark: DataType): DataType =
    (kernel, spark) match {
      case (from: KernelString, _: StringType) if !from.isUTF8BinaryCollated =>
        SchemaSerialization.supportedName(from.getCollationIdentifier.toStringWithoutVersion)
          .fold(spark)(StringType(_))
      case (from: KernelArray, to: ArrayType) =>
        to.copy(elementType = withCollationsOf(from.getElementType, to.elementType))
      case (from: KernelMap, to: MapType) =>
        to.copy(
          keyType = withCollationsOf(from.getKeyType, to.keyType),
          valueType = withCollationsOf(from.getValueType, to.valueType)
        )
      case (from: KernelStruct, to: StructType) => withCollationsOf(from, to)
      case _ => spark
    }
}
