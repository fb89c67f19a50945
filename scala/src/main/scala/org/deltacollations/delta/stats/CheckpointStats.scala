// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.delta.{DeltaConfigs, Snapshot}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types._

import org.deltacollations.delta.feature.FeatureRegistry
import org.deltacollations.delta.patch.{Hook, HookKind}
import org.deltacollations.delta.skipping.BoundsColumn
import org.deltacollations.protocol.{ParsedStatsSanitizer, StatsNames}

/**
 * Puts the bounds of collated columns into the checkpoint's parsed statistics. Where a table keeps
 * no others, they would be gone with the next checkpoint.
 *
 * Delta decides the schema of the parsed statistics in a method that sees nothing of the table, so
 * it is made one call earlier, in the same thread.
 */
private[delta] object CheckpointStats {

  private val prepared = new ThreadLocal[Option[StructType]] {
    override def initialValue: Option[StructType] = None
  }

  val state: Hook = Hook(
    name = "checkpoint-state",
    className = "org.apache.spark.sql.delta.Checkpoints$",
    method = "buildCheckpoint",
    signatures = Seq("(sql.Dataset, sql.delta.Snapshot): sql.Dataset"),
    kind = HookKind.ReplaceArgument(0),
    degradation = "checkpoints without JSON statistics lose the bounds of collated columns",
    requires = Set("checkpoint-stats"),
    replace = call => {
      val snapshot = call.arguments(1).asInstanceOf[Snapshot]
      val state = call.value.asInstanceOf[DataFrame]
      val isCollated = FeatureRegistry.isSupported(snapshot.protocol)
      val own = if (isCollated) ownColumns(snapshot) else Map.empty[String, Seq[Seq[String]]]
      val fields =
        if (isCollated) fieldsOf(state, snapshot, own.keySet) else Map.empty[String, String]
      prepared.set(Option.when(isCollated)(schema(snapshot, own, fields.values.toSet)))
      if (fields.isEmpty) state else legible(state, BoundsColumn.strings(snapshot), fields)
    }
  )

  val parsed: Hook = Hook(
    name = "checkpoint-stats",
    className = "org.apache.spark.sql.delta.Checkpoints$",
    method = "extractStats",
    signatures = Seq("(sql.types.StructType, java.lang.String): scala.Option"),
    kind = HookKind.ReplaceArgument(0),
    degradation = "checkpoints without JSON statistics lose the bounds of collated columns",
    requires = Set("checkpoint-state"),
    replace = call => prepared.get.getOrElse(call.value)
  )

  /**
   * The fields for the versioned identifiers that some file has bounds under. Beside JSON, which
   * keeps them all, the parsed form is for quick reading, and only those of this version are of use
   * to it.
   */
  private def fieldsOf(
      state: DataFrame,
      snapshot: Snapshot,
      own: Set[String]
  ): Map[String, String] =
    if (DeltaConfigs.CHECKPOINT_WRITE_STATS_AS_JSON.fromMetaData(snapshot.metadata)) Map.empty
    else {
      val collated = get_json_object(col("add.stats"), "$." + StatsNames.Collated)
      val found = state
        .select(explode(map_keys(from_json(collated, MapType(StringType, StringType)))).as("key"))
        .where(length(col("key")) <= ParsedStatsSanitizer.LongestIdentifier)
        // Those that most files have are worth the most.
        .groupBy("key").count().orderBy(desc("count"), col("key"))
        .limit(ParsedStatsSanitizer.MostIdentifiers)
        .collect().map(_.getString(0)).toSet
      ParsedStatsSanitizer.fields(found, own)
    }

  private def legible(
      state: DataFrame,
      strings: Seq[Seq[String]],
      fields: Map[String, String]
  ): DataFrame = {
    val text = udf((stats: String) => ParsedStatsSanitizer.legible(stats, strings, fields))
    state.withColumn("add", col("add").withField("stats", text(col("add.stats"))))
  }

  private def ownColumns(snapshot: Snapshot): Map[String, Seq[Seq[String]]] =
    StatsCollector.columns(snapshot).groupBy(_.id.toString).map { case (id, columns) =>
      id -> columns.map(_.path)
    }

  private def schema(
      snapshot: Snapshot,
      own: Map[String, Seq[Seq[String]]],
      keys: Set[String]
  ): StructType = {
    val strings = BoundsColumn.strings(snapshot)
    // Which columns another writer has under its key is not known; a string it will be.
    val columns = (keys -- own.keySet).map(_ -> strings).toMap ++ own
    def bounds(paths: Seq[Seq[String]]): StructType =
      new StructType().add(StatsNames.Min, nested(paths)).add(StatsNames.Max, nested(paths))
    val collated = columns.toSeq.sortBy(_._1).map { case (id, paths) =>
      StructField(id, bounds(paths))
    }
    if (collated.isEmpty) snapshot.statsSchema
    else
      merged(
        snapshot.statsSchema,
        bounds(strings).add(StatsNames.Collated, StructType(collated))
      )
  }

  private def nested(paths: Seq[Seq[String]]): StructType =
    paths.foldLeft(new StructType) { (struct, path) =>
      merged(
        struct,
        path.init.foldRight(new StructType().add(path.last, StringType)) { (name, below) =>
          new StructType().add(name, below)
        }
      )
    }

  /** `struct` and the fields of `more` that it does not have. */
  private def merged(struct: StructType, more: StructType): StructType = {
    val known = struct.fieldNames.toSet
    StructType(
      struct.fields.map { field =>
        (field.dataType, more.find(_.name == field.name).map(_.dataType)) match {
          case (inner: StructType, Some(other: StructType)) =>
            field.copy(dataType = merged(inner, other))
          case _ => field
        }
      } ++ more.filterNot(field => known(field.name))
    )
  }
}
