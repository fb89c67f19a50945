// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.schema

import org.apache.spark.sql.delta.OptimisticTransactionImpl
import org.apache.spark.sql.delta.actions.Metadata

import org.deltacollations.collation.CollatedTypes
import org.deltacollations.errors.CollationsErrors
import org.deltacollations.patch.{Hook, HookKind}
import org.deltacollations.protocol.SchemaJson

/** Rejects unsupported metadata of collated tables wherever Delta validates new metadata. */
private[delta] object MetadataValidation {

  val hook: Hook = Hook(
    name = "metadata-check",
    className = "org.apache.spark.sql.delta.OptimisticTransactionImpl",
    method = "assertMetadata",
    signatures = Seq("(sql.delta.actions.Metadata): void"),
    kind = HookKind.OnEntry,
    degradation = "tables with a collated column cannot be created, only read and appended to",
    replace = call => {
      val metadata = call.arguments(0).asInstanceOf[Metadata]
      rejectNewMapKeys(metadata, call.receiver.asInstanceOf[OptimisticTransactionImpl])
      rejectIceberg(metadata)
    }
  )

  /** Accepts existing collated map keys of other writers, so that other changes remain possible. */
  private def rejectNewMapKeys(metadata: Metadata, transaction: OptimisticTransactionImpl): Unit = {
    val before = CollatedTypes.collatedMapKeys(transaction.snapshot.schema).toSet
    CollatedTypes.collatedMapKeys(metadata.schema).filterNot(before).foreach { case (path, key) =>
      throw CollationsErrors.unsupportedMapKey(path.mkString("."), key.sql)
    }
  }

  /** Iceberg has no collations, so its readers would compare strings differently. */
  private def rejectIceberg(metadata: Metadata): Unit =
    if (SchemaJson.hasCollations(metadata.schemaString))
      metadata.configuration.filter(_._2 != null).find { case (property, value) =>
        property.startsWith("delta.enableIceberg") && value.equalsIgnoreCase("true") ||
        property == "delta.universalFormat.enabledFormats" && value.contains("iceberg")
      }.foreach { case (property, _) => throw CollationsErrors.unsupportedIceberg(property) }
}
