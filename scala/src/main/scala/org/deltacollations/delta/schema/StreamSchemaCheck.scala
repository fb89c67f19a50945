// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.schema

import org.apache.spark.sql.delta.DeltaColumnMapping
import org.apache.spark.sql.types.{StructField, StructType}

import org.deltacollations.collation.CollatedTypes
import org.deltacollations.patch.{Hook, HookCall, HookKind}

/**
 * Lets a stream continue when the collation of a column of its source changes. Delta treats another
 * collation as another type, and stops the stream at the commit with the change, also after a restart.
 *
 * A change of the collation changes no stored value, so files from before and after the change can be
 * read with either collation. A running stream keeps the collation it was started with. After a
 * restart it uses the current one.
 */
private[delta] object StreamSchemaCheck {

  /** Applies to streams without a schema tracking location. */
  val untracked: Hook = Hook(
    name = "stream-schema",
    className = "org.apache.spark.sql.delta.sources.DeltaStreamUtils$",
    method = "checkSchemaChangesWhenNoSchemaTracking",
    signatures = Seq(
      "(sql.types.StructType, sql.types.StructType, immutable.Seq, immutable.Seq, boolean, " +
        "sql.delta.sources.DeltaStreamUtils$SchemaReadOptions): " +
        "sql.delta.sources.DeltaStreamUtils$SchemaCompatibilityResult"
    ),
    kind = HookKind.ReplaceArgument(0),
    degradation = "streams stop when the collation of a column of their source changes",
    replace = withCollationsOfNext(_, index = 0, _.name)
  )

  /**
   * Applies to streams with a schema tracking location, which stop once and continue when restarted.
   * Delta compares columns of the same physical name here.
   */
  val tracked: Hook = Hook(
    name = "stream-schema-tracking",
    className = "org.apache.spark.sql.delta.sources.DeltaSourceMetadataEvolutionSupport$",
    method = "checkIncompatibleSchemaChange",
    signatures = Seq("(sql.SparkSession, sql.types.StructType, sql.types.StructType, long): void"),
    kind = HookKind.ReplaceArgument(1),
    degradation =
      "streams with a schema tracking location stop when the collation of a column of " +
        "their source changes",
    replace = withCollationsOfNext(_, index = 1, DeltaColumnMapping.getPhysicalName)
  )

  /** Returns the schema at `index` with the collations of the schema that it is compared with. */
  private def withCollationsOfNext(
      call: HookCall,
      index: Int,
      nameOf: StructField => String
  ): StructType =
    CollatedTypes.withCollationsOf(
      call.arguments(index).asInstanceOf[StructType],
      call.arguments(index + 1).asInstanceOf[StructType],
      nameOf
    )
}
