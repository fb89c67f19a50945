// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.kernel

import org.apache.spark.sql.catalyst.analysis.NamedRelation
import org.apache.spark.sql.catalyst.expressions.{Attribute, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, RowLevelWrite, V2WriteCommand}
import org.apache.spark.sql.catalyst.streaming.{StreamingRelationV2, WriteToStream}
import org.apache.spark.sql.connector.catalog.{Column, Table}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types._

import org.deltacollations.collation.CollatedTypes
import org.deltacollations.errors.CollationsErrors
import org.deltacollations.fallback.PlanFallback
import org.deltacollations.protocol.SchemaJson

/**
 * Rejects analyzed plans in which Delta's Kernel-based connector would return wrong rows or write
 * incomplete metadata.
 *
 *   - Reads, if the connector has dropped a collation: the hooks of [[KernelSchema]] are missing or have
 *     failed. The metadata of the column still has the collation then.
 *   - Writes to collated tables: the connector writes neither statistics of collated columns nor the
 *     domain metadata that lists their versions.
 */
private[deltacollations] object KernelConnectorCheck extends (LogicalPlan => Unit) {

  override def apply(plan: LogicalPlan): Unit =
    PlanFallback.orElseExceptUserErrors(getClass.getName, ())(check(plan))

  private def check(plan: LogicalPlan): Unit = {
    plan match {
      // The table of such a command wraps the original one.
      case write: RowLevelWrite => checkWrite(write.originalTable)
      case write: V2WriteCommand => checkWrite(write.table)
      case write: WriteToStream => checkWrite(write.sink)
      case relation: DataSourceV2Relation => checkRead(relation.table, relation.output)
      case relation: StreamingRelationV2 => checkRead(relation.table, relation.output)
      case _ => ()
    }
    plan.children.foreach(check)
    plan.innerChildren.foreach {
      case inner: LogicalPlan => check(inner)
      case _ => ()
    }
    plan.expressions.foreach(_.foreach {
      case subquery: SubqueryExpression => check(subquery.plan)
      case _ => ()
    })
  }

  private def checkWrite(target: NamedRelation): Unit = target match {
    case relation: DataSourceV2Relation => checkWrite(relation.table)
    case _ => ()
  }

  private def checkWrite(table: Table): Unit =
    if (table.getClass.getName.startsWith("io.delta.spark.internal.v2.")) {
      val schema = StructType(table.columns.map(fieldOf))
      val collated = CollatedTypes.collatedStrings(schema).map(_._1.mkString(".")).nextOption()
      collated.orElse(droppedCollation(schema)).foreach(column =>
        throw CollationsErrors.unsupportedKernelWrite(table.name, column)
      )
    }

  private def fieldOf(column: Column): StructField = {
    val metadata = Option(column.metadataInJSON).fold(Metadata.empty)(Metadata.fromJson)
    StructField(column.name, column.dataType, metadata = metadata)
  }

  private def checkRead(table: Table, output: Seq[Attribute]): Unit = {
    val fields =
      output.map(column => StructField(column.name, column.dataType, metadata = column.metadata))
    droppedCollation(StructType(fields)).foreach(column =>
      throw CollationsErrors.unsupportedKernelRead(table.name, column)
    )
  }

  /** Returns the name of a field without a collation whose metadata has one. */
  private def droppedCollation(dataType: DataType): Option[String] = dataType match {
    case struct: StructType =>
      struct.fields.iterator.flatMap { field =>
        val hasMetadata = field.metadata.contains(SchemaJson.Collations)
        if (hasMetadata && !CollatedTypes.hasCollation(field.dataType)) Some(field.name)
        else droppedCollation(field.dataType)
      }.nextOption()
    case array: ArrayType => droppedCollation(array.elementType)
    case map: MapType => droppedCollation(map.keyType).orElse(droppedCollation(map.valueType))
    case _ => None
  }
}
