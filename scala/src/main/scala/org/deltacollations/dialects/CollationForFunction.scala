// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.StructType

import org.deltacollations.collation.SparkCollations
import org.deltacollations.functions.{DeferredRelation, TableFunction}

/** Declares the table function `collation_for`. */
object CollationForFunction {

  private val Name = "collation_for"

  val description: TableFunction.Description = TableFunction(Name, "name")(
    "Finds Spark's nearest collation for a collation of another database and lists the differences."
  ) { case Seq(name) => DeferredRelation(Name, schema)(rows(name)) }

  private def schema: StructType = StructType.fromDDL(
    "name STRING NOT NULL, system STRING NOT NULL, collation STRING, " +
      "is_exact BOOLEAN NOT NULL, differences STRING NOT NULL"
  )

  /** A name of Spark's own is its own exact match. Then a system without a match has no row. */
  private def rows(name: String): Seq[Row] = {
    val spark = SparkCollations.canonicalName(name).map(Row(name, "Spark", _, true, "None."))
    val mappings = CollationDialects.collationFor(name)
      .filter(mapping => spark.isEmpty || mapping.collation.isDefined)
    spark.toSeq ++ mappings.map { mapping =>
      Row(
        name,
        mapping.system,
        mapping.collation.orNull,
        mapping.isExact,
        mapping.differences
      )
    }
  }
}
