// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import java.util.Locale

import org.apache.spark.sql.catalyst.util.{
  CharVarcharUtils,
  CollationFactory,
  QuotingUtils,
  UnsafeRowUtils
}
import org.apache.spark.sql.types._

/** A string whose collation is a real one: neither plain UTF-8 bytes nor a clash of two others. */
object CollatedString {

  private val plain =
    Set(CollationFactory.UTF8_BINARY_COLLATION_ID, CollationFactory.INDETERMINATE_COLLATION_ID)

  def unapply(dataType: DataType): Option[StringType] = dataType match {
    case string: StringType if !plain(string.collationId) => Some(string)
    case _ => None
  }

  /** What Spark calls its collation. */
  def nameOf(string: StringType): String =
    CollationFactory.fetchCollation(string.collationId).collationName
}

/** A string of any collation and any length: neither `CHAR` nor `VARCHAR`. */
object UnconstrainedString {

  def unapply(dataType: AnyRef): Boolean = dataType match {
    case string: StringType => string.constraint == NoConstraint
    case _ => false
  }
}

/** Where the collated strings inside a type stand. */
object CollatedTypes {

  /** The type a field was declared with: Spark keeps `VARCHAR` beside it, in the metadata. */
  def declared(field: StructField): DataType =
    CharVarcharUtils.getRawType(field.metadata).getOrElse(field.dataType)

  /**
   * `brought` with the collations of `wanted` wherever both have a string. Fields are matched by name
   * without regard to case, as Delta does; all else stays as it was.
   */
  def aligned(brought: DataType, wanted: DataType): DataType = (brought, wanted) match {
    case (UnconstrainedString(), UnconstrainedString()) => wanted
    case (from: StructType, to: StructType) => aligned(from, to)
    case (from: ArrayType, to: ArrayType) =>
      from.copy(elementType = aligned(from.elementType, to.elementType))
    case (from: MapType, to: MapType) =>
      from.copy(aligned(from.keyType, to.keyType), aligned(from.valueType, to.valueType))
    case _ => brought
  }

  def aligned(brought: StructType, wanted: StructType): StructType = {
    val types = wanted.fields.map(field => lower(field.name) -> field.dataType).toMap
    StructType(brought.fields.map { field =>
      types.get(lower(field.name)).fold(field)(to =>
        field.copy(dataType = aligned(field.dataType, to))
      )
    })
  }

  private def lower(name: String): String = name.toLowerCase(Locale.ROOT)

  /** `dataType` with no collation anywhere in it. */
  def plain(dataType: DataType): DataType = dataType match {
    case CollatedString(_) => StringType
    case struct: StructType =>
      StructType(struct.fields.map(field => field.copy(dataType = plain(field.dataType))))
    case array: ArrayType => array.copy(elementType = plain(array.elementType))
    case map: MapType => map.copy(plain(map.keyType), plain(map.valueType))
    case _ => dataType
  }

  /** Returns whether equal values of the type always have the same bytes. */
  def isBinaryStable(dataType: DataType): Boolean = UnsafeRowUtils.isBinaryStable(dataType)

  /** Whether a collated string stands anywhere in `dataType`. */
  def hasCollation(dataType: DataType): Boolean = collatedStrings(dataType).nonEmpty

  /** The collated strings, each by its path from the top of `dataType` as SQL spells it. */
  def collatedStrings(
      dataType: DataType,
      path: Seq[String] = Nil
  ): Iterator[(Seq[String], StringType)] = dataType match {
    case CollatedString(string) => Iterator(path -> string)
    case struct: StructType =>
      struct.fields.iterator.flatMap { field =>
        collatedStrings(field.dataType, path :+ QuotingUtils.quoteIfNeeded(field.name))
      }
    case array: ArrayType => collatedStrings(array.elementType, path :+ "element")
    case map: MapType =>
      collatedStrings(map.keyType, path :+ "key") ++
        collatedStrings(map.valueType, path :+ "value")
    case _ => Iterator.empty
  }

  /** A path as SQL spells it. */
  def spelled(path: Seq[String]): String = path.map(QuotingUtils.quoteIfNeeded).mkString(".")

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
