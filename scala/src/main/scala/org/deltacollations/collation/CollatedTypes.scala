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

/** Matches a string type with a collation other than `UTF8_BINARY` and Spark's indeterminate one. */
object CollatedString {

  private val uncollated =
    Set(CollationFactory.UTF8_BINARY_COLLATION_ID, CollationFactory.INDETERMINATE_COLLATION_ID)

  def unapply(dataType: DataType): Option[StringType] = dataType match {
    case string: StringType if !uncollated(string.collationId) => Some(string)
    case _ => None
  }

  /** Returns Spark's name of the collation. */
  def nameOf(string: StringType): String =
    CollationFactory.fetchCollation(string.collationId).collationName
}

/** Matches a string type of any collation that is neither `CHAR` nor `VARCHAR`. */
object UnconstrainedString {

  def unapply(dataType: AnyRef): Boolean = dataType match {
    case string: StringType => string.constraint == NoConstraint
    case _ => false
  }
}

/** Finds and changes the collations inside data types. */
object CollatedTypes {

  /** Returns the type a field was declared with. Spark keeps `CHAR` and `VARCHAR` in the metadata. */
  def declaredType(field: StructField): DataType =
    CharVarcharUtils.getRawType(field.metadata).getOrElse(field.dataType)

  /**
   * Returns `dataType` with the collations of `table` wherever both have a string. Fields are matched
   * by name and case-insensitively, as Delta does. Everything else is unchanged.
   */
  def withCollationsOf(dataType: DataType, table: DataType): DataType =
    withCollationsOf(dataType, table, _.name)

  def withCollationsOf(schema: StructType, table: StructType): StructType =
    withCollationsOf(schema, table, _.name)

  private def withCollationsOf(
      dataType: DataType,
      table: DataType,
      nameOf: StructField => String
  ): DataType = (dataType, table) match {
    case (UnconstrainedString(), UnconstrainedString()) => table
    case (from: StructType, to: StructType) => withCollationsOf(from, to, nameOf)
    case (from: ArrayType, to: ArrayType) =>
      from.copy(elementType = withCollationsOf(from.elementType, to.elementType, nameOf))
    case (from: MapType, to: MapType) =>
      from.copy(
        withCollationsOf(from.keyType, to.keyType, nameOf),
        withCollationsOf(from.valueType, to.valueType, nameOf)
      )
    case _ => dataType
  }

  /** @param nameOf the name by which fields are matched */
  def withCollationsOf(
      schema: StructType,
      table: StructType,
      nameOf: StructField => String
  ): StructType = {
    val types = table.fields.map(field => lowerCase(nameOf(field)) -> field.dataType).toMap
    StructType(schema.fields.map { field =>
      types.get(lowerCase(nameOf(field))).fold(field)(to =>
        field.copy(dataType = withCollationsOf(field.dataType, to, nameOf))
      )
    })
  }

  private def lowerCase(name: String): String = name.toLowerCase(Locale.ROOT)

  /** Returns `dataType` with every collated string replaced by `STRING`. */
  def withoutCollations(dataType: DataType): DataType =
    mapStrings(dataType) { case CollatedString(_) => StringType }

  /** Returns `dataType` with other types instead of the strings for which `change` is defined. */
  def mapStrings(dataType: DataType)(change: PartialFunction[StringType, DataType]): DataType =
    dataType match {
      case string: StringType => change.applyOrElse(string, identity[DataType])
      case struct: StructType =>
        StructType(struct.fields.map(field =>
          field.copy(dataType = mapStrings(field.dataType)(change))
        ))
      case array: ArrayType => array.copy(elementType = mapStrings(array.elementType)(change))
      case map: MapType =>
        map.copy(mapStrings(map.keyType)(change), mapStrings(map.valueType)(change))
      case _ => dataType
    }

  /** Returns whether equal values of the type always have the same bytes. */
  def isBinaryStable(dataType: DataType): Boolean = UnsafeRowUtils.isBinaryStable(dataType)

  /** Whether `dataType` contains a collated string at any depth. */
  def hasCollation(dataType: DataType): Boolean = collatedStrings(dataType).nonEmpty

  /** Whether `dataType` contains a `UTF8_BINARY` string at any depth. */
  def hasUtf8Binary(dataType: DataType): Boolean =
    strings(dataType).exists(SparkCollations.isUtf8Binary)

  /** Returns all strings in `dataType`, with and without a collation. */
  def strings(dataType: DataType): Iterator[StringType] = dataType match {
    case string: StringType => Iterator(string)
    case struct: StructType => struct.fields.iterator.flatMap(field => strings(field.dataType))
    case array: ArrayType => strings(array.elementType)
    case map: MapType => strings(map.keyType) ++ strings(map.valueType)
    case _ => Iterator.empty
  }

  /** Returns all collated strings in `dataType`, each with its path, quoted for SQL. */
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

  /** Returns a path as an SQL identifier, quoted where needed. */
  def quoted(path: Seq[String]): String = path.map(QuotingUtils.quoteIfNeeded).mkString(".")

  /** Returns all maps with a collated key: the path of the map, and the type of its key. */
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
