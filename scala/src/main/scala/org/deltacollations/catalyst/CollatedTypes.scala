// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.catalyst

import org.apache.spark.sql.catalyst.util.CollationFactory
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StringType, StructType}

/** A string whose collation is a real one: neither plain UTF-8 bytes nor a clash of two others. */
object CollatedString {

  private val plain =
    Set(CollationFactory.UTF8_BINARY_COLLATION_ID, CollationFactory.INDETERMINATE_COLLATION_ID)

  def unapply(dataType: DataType): Option[StringType] = dataType match {
    case string: StringType if !plain(string.collationId) => Some(string)
    case _ => None
  }
}

/** Where the collated strings inside a type stand. */
object CollatedTypes {

  /** Whether a collated string stands anywhere in `dataType`. */
  def hasCollation(dataType: DataType): Boolean = dataType match {
    case CollatedString(_) => true
    case struct: StructType => struct.fields.exists(field => hasCollation(field.dataType))
    case array: ArrayType => hasCollation(array.elementType)
    case map: MapType => hasCollation(map.keyType) || hasCollation(map.valueType)
    case _ => false
  }

  /** The maps with a collated key: the path from the top of `dataType`, and the key's type. */
  def collatedMapKeys(dataType: DataType, path: Seq[String] = Nil): Seq[(Seq[String], DataType)] =
    dataType match {
      case struct: StructType =>
        struct.fields.toSeq.flatMap(field => collatedMapKeys(field.dataType, path :+ field.name))
      case array: ArrayType => collatedMapKeys(array.elementType, path :+ "element")
      case map: MapType if hasCollation(map.keyType) => Seq(path -> map.keyType)
      case map: MapType => collatedMapKeys(map.valueType, path :+ "value")
      case _ => Nil
    }
}
