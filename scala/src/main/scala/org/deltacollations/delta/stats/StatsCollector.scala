// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats

import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.analysis.{
  UnresolvedAttribute,
  UnresolvedExtractValue,
  UnresolvedFunction
}
import org.apache.spark.sql.catalyst.expressions.{Alias, Cast, Expression, Literal}
import org.apache.spark.sql.delta.schema.SchemaMergingUtils
import org.apache.spark.sql.delta.stats.StatisticsCollection
import org.apache.spark.sql.delta.{DeltaColumnMapping, Snapshot}
import org.apache.spark.sql.types.{StringType, StructField, StructType}

import org.deltacollations.collation.{
  CoarserCollations,
  CollatedString,
  SparkCollations,
  SparkOrder
}
import org.deltacollations.config.CollationsConf
import org.deltacollations.delta.util.ColumnConversions
import org.deltacollations.patch.{Hook, HookKind}
import org.deltacollations.protocol.{CodePointTag, StatsNames}

/**
 * Collects the bounds of collated columns together with Delta's own statistics, in the same pass and for
 * every operation that writes files.
 */
private[delta] object StatsCollector {

  val hook: Hook = Hook(
    name = "stats-collector",
    className = "org.apache.spark.sql.delta.stats.StatisticsCollection",
    method = "statsCollector",
    signatures = Seq("(): sql.Column"),
    kind = HookKind.ReplaceResult,
    degradation = "files are written without statistics for collated columns",
    replace = call => {
      val statistics = call.receiver.asInstanceOf[StatisticsCollection]
      val collector = call.value.asInstanceOf[Column]
      if (!isEnabled(statistics)) collector
      else
        fields(statistics).foldLeft(collector) { case (fields, (name, value)) =>
          withField(fields, name, value)
        }
    }
  )

  /** Returns the fields to add to those that Delta collects, by name. */
  private def fields(statistics: StatisticsCollection): Seq[(String, Expression)] = {
    val collated = columns(statistics)
    val bounds = StatsExpressions.bounds(
      collated ++ AdditionalIcuVersions.computed(collated),
      StatisticsCollectionAccess.stringPrefixLength(statistics)
    )
    val codePoints =
      StatsExpressions.codePoints(collated).filter(_ => CodePointTagging.removesField(statistics))
    bounds.map(StatsNames.Collated -> _).toSeq ++ codePoints.map(CodePointTag.Name -> _)
  }

  /** The setting applies to writes. `ANALYZE … COMPUTE DELTA STATISTICS` always collects statistics. */
  def isEnabled(statistics: StatisticsCollection): Boolean =
    CollationsConf.StatsEnabled.isEnabled || statistics.isInstanceOf[OnDemandStats]

  /**
   * Returns the collated strings among the columns that Delta collects statistics for, each with the
   * collation of its bounds.
   */
  def columns(statistics: StatisticsCollection): Seq[StatsColumn] = {
    val outputNames =
      SchemaMergingUtils.explodeNestedFieldNames(statistics.outputAttributeSchema).toSet
    def below(schema: StructType, parents: Seq[StructField]): Seq[StatsColumn] =
      schema.fields.toSeq.flatMap { field =>
        val path = parents :+ field
        field.dataType match {
          case struct: StructType => below(struct, path)
          // The files may not have all columns of the table.
          case CollatedString(string) if outputNames(UnresolvedAttribute(path.map(_.name)).name) =>
            CoarserCollations.forStatistics(string).map { ofBounds =>
              val value = Cast(reference(path.map(_.name)), ofBounds)
              val id = SparkCollations.versionedId(ofBounds)
              val order = SparkOrder(id.name)
              StatsColumn(path.map(DeltaColumnMapping.getPhysicalName), id, order, value)
            }
          case _ => None
        }
      }
    below(statistics.statCollectionPhysicalSchema, Nil)
  }

  /**
   * Casts at run time. Without the cast, the JVM would load `Snapshot` when it verifies this class, to
   * check that a snapshot is a `StatisticsCollection`. That may happen before `Snapshot` is patched.
   */
  def columns(snapshot: Snapshot): Seq[StatsColumn] =
    columns((snapshot: Any).asInstanceOf[StatisticsCollection])

  /** Returns the physical paths of all strings, collated or not, that Delta collects statistics for. */
  def stringColumns(snapshot: Snapshot): Seq[(Seq[String], StringType)] = {
    def below(schema: StructType, parents: Seq[String]): Seq[(Seq[String], StringType)] =
      schema.fields.toSeq.flatMap { field =>
        val path = parents :+ DeltaColumnMapping.getPhysicalName(field)
        field.dataType match {
          case struct: StructType => below(struct, path)
          case string: StringType => Seq(path -> string)
          case _ => Nil
        }
      }
    below(snapshot.statCollectionPhysicalSchema, Nil)
  }

  private def reference(path: Seq[String]): Expression =
    path.tail.foldLeft[Expression](UnresolvedAttribute.quoted(path.head)) { (parent, name) =>
      UnresolvedExtractValue(parent, Literal(name))
    }

  /** Adds a field to Delta's collector, which is an aliased call of `struct`. */
  private def withField(collector: Column, name: String, value: Expression): Column = {
    val stats @ Alias(struct: UnresolvedFunction, _) =
      ColumnConversions.expression(collector): @unchecked
    val fields = struct.arguments :+ Alias(value, name)()
    ColumnConversions.of(stats.withNewChildren(Seq(struct.copy(arguments = fields))))
  }
}
