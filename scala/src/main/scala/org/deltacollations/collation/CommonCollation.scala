// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import org.apache.spark.sql.catalyst.util.CollationFactory
import org.apache.spark.sql.types._

/**
 * Finds the collation that strings with and without a collation are compared by. As in PostgreSQL, a
 * `UTF8_BINARY` string gets the collation of the other string. Two different collations have nothing in
 * common.
 */
object CommonCollation {

  /**
   * Returns the type that each of the types must be cast to, or `None` if there is no common collation.
   * The types differ only in collations. Fields of structs are matched by position, as Spark does when
   * it compares structs.
   */
  def of(types: Seq[DataType]): Option[Map[DataType, DataType]] = {
    val distinct = types.distinct
    val targets = distinct.flatMap { dataType =>
      distinct.foldLeft(Option(dataType))((merged, other) => merged.flatMap(merge(_, other)))
        .map(dataType -> _)
    }
    Option.when(targets.size == distinct.size)(targets.toMap)
  }

  /** Returns `dataType` with the collations of `other` where `dataType` has a `UTF8_BINARY` string. */
  private def merge(dataType: DataType, other: DataType): Option[DataType] =
    (dataType, other) match {
      case (_, `dataType`) => Some(dataType)
      case (left: StringType, right: StringType) => mergeStrings(left, right)
      case (left: ArrayType, right: ArrayType) =>
        merge(left.elementType, right.elementType).map(element => left.copy(elementType = element))
      case (left: MapType, right: MapType) =>
        for {
          key <- merge(left.keyType, right.keyType)
          value <- merge(left.valueType, right.valueType)
        } yield left.copy(keyType = key, valueType = value)
      case (left: StructType, right: StructType) if left.length == right.length =>
        val fields = left.fields.zip(right.fields).flatMap { case (field, other) =>
          merge(field.dataType, other.dataType).map(merged => field.copy(dataType = merged))
        }
        Option.when(fields.length == left.length)(StructType(fields))
      // Spark casts other types, such as INT to BIGINT or NULL to STRING, in rules of their own.
      case _ => Some(dataType)
    }

  private def mergeStrings(left: StringType, right: StringType): Option[StringType] =
    (left, right) match {
      case _ if left.collationId == right.collationId => Some(left)
      case (UnconstrainedString(), UnconstrainedString()) =>
        if (isIndeterminate(left) || isIndeterminate(right)) None
        else if (SparkCollations.isUtf8Binary(left)) Some(right)
        else Option.when(SparkCollations.isUtf8Binary(right))(left)
      case _ => None
    }

  /** Whether `dataType` contains a string whose collation Spark could not determine. */
  def isIndeterminate(dataType: DataType): Boolean =
    CollatedTypes.strings(dataType).exists(isIndeterminate)

  private def isIndeterminate(string: StringType): Boolean =
    string.collationId == CollationFactory.INDETERMINATE_COLLATION_ID

  /** Returns `dataType` with `collated` instead of each string whose collation is indeterminate. */
  def resolveIndeterminate(dataType: DataType, collated: StringType): DataType =
    CollatedTypes.mapStrings(dataType) { case string if isIndeterminate(string) => collated }
}
