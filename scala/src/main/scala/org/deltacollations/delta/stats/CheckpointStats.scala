// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.stats

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.delta.{DeltaConfigs, Snapshot}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types._

import org.deltacollations.delta.feature.FeatureRegistry
import org.deltacollations.patch.{Hook, HookKind}
import org.deltacollations.protocol.{ParsedStatsSanitizer, StatsNames}

/**
 * Adds the bounds of collated columns to the parsed statistics (`stats_parsed`) of checkpoints. A table
 * whose checkpoints have no JSON statistics would lose the bounds with the next checkpoint.
 *
 * Delta's `extractStats` turns the schema of the statistics into the column `stats_parsed`, but gets
 * neither the snapshot nor the files. `buildCheckpoint` gets both and is the only caller of
 * `extractStats`, in the same thread. So the first hook computes the schema when `buildCheckpoint`
 * starts and stores it in a thread-local, the second passes it to `extractStats`, and the third clears
 * it when `buildCheckpoint` returns. If `buildCheckpoint` throws, the schema stays until the next
 * checkpoint of that thread starts; nothing reads it before.
 */
private[delta] object CheckpointStats {

  private val statsSchema = new ThreadLocal[Option[StructType]] {
    override def initialValue: Option[StructType] = None
  }

  private val checkpoints = "org.apache.spark.sql.delta.Checkpoints$"

  private val buildCheckpoint = "(sql.Dataset, sql.delta.Snapshot): sql.Dataset"

  private val degradation =
    "checkpoints without JSON statistics lose the bounds of collated columns"

  val state: Hook = Hook(
    name = "checkpoint-state",
    className = checkpoints,
    method = "buildCheckpoint",
    signatures = Seq(buildCheckpoint),
    kind = HookKind.ReplaceArgument(0),
    degradation = degradation,
    requires = Set("checkpoint-stats", "checkpoint-cleanup"),
    replace = call => {
      statsSchema.remove()
      val snapshot = call.arguments(1).asInstanceOf[Snapshot]
      val state = call.value.asInstanceOf[DataFrame]
      if (!FeatureRegistry.isSupported(snapshot.protocol)) state
      else {
        val own = ownColumns(snapshot)
        val fields = fieldNames(state, snapshot, own.keySet)
        statsSchema.set(Some(schema(snapshot, own, fields.values.toSet)))
        if (fields.isEmpty) state
        else sanitized(state, StatsCollector.stringColumns(snapshot).map(_._1), fields)
      }
    }
  )

  val parsed: Hook = Hook(
    name = "checkpoint-stats",
    className = checkpoints,
    method = "extractStats",
    signatures = Seq("(sql.types.StructType, java.lang.String): scala.Option"),
    kind = HookKind.ReplaceArgument(0),
    degradation = degradation,
    requires = Set("checkpoint-state"),
    replace = call => statsSchema.get.getOrElse(call.value)
  )

  val cleanup: Hook = Hook(
    name = "checkpoint-cleanup",
    className = checkpoints,
    method = "buildCheckpoint",
    signatures = Seq(buildCheckpoint),
    kind = HookKind.ReplaceResult,
    degradation = degradation,
    requires = Set("checkpoint-state"),
    replace = call => {
      statsSchema.remove()
      call.value
    }
  )

  /**
   * Returns the field names in the parsed statistics, by the versioned identifiers under which files
   * have bounds. Returns none if the checkpoint has JSON statistics too. The JSON keeps all bounds, and
   * the parsed statistics only make reading faster, for which the bounds of this version suffice.
   */
  private def fieldNames(
      state: DataFrame,
      snapshot: Snapshot,
      own: Set[String]
  ): Map[String, String] =
    if (DeltaConfigs.CHECKPOINT_WRITE_STATS_AS_JSON.fromMetaData(snapshot.metadata)) Map.empty
    else {
      val collated = get_json_object(col("add.stats"), "$." + StatsNames.Collated)
      val identifiers = state
        .select(explode(map_keys(from_json(collated, MapType(StringType, StringType)))).as("key"))
        .where(length(col("key")) <= ParsedStatsSanitizer.MaxIdentifierLength)
        // Prefer the identifiers that most files have.
        .groupBy("key").count().orderBy(desc("count"), col("key"))
        .limit(ParsedStatsSanitizer.MaxIdentifiers)
        .collect().map(_.getString(0)).toSet
      ParsedStatsSanitizer.fieldNames(identifiers, own)
    }

  /** Prepares the JSON statistics, so that Delta parses only valid bounds into the fields. */
  private def sanitized(
      state: DataFrame,
      strings: Seq[Seq[String]],
      fields: Map[String, String]
  ): DataFrame = {
    val sanitize = udf((stats: String) => ParsedStatsSanitizer.sanitized(stats, strings, fields))
    state.withColumn("add", col("add").withField("stats", sanitize(col("add.stats"))))
  }

  /** Returns the physical paths of the columns that this session collects, by collation. */
  private def ownColumns(snapshot: Snapshot): Map[String, Seq[Seq[String]]] =
    StatsCollector.columns(snapshot).groupBy(_.id.toString).map { case (id, columns) =>
      id -> columns.map(_.path)
    }

  private def schema(
      snapshot: Snapshot,
      own: Map[String, Seq[Seq[String]]],
      keys: Set[String]
  ): StructType = {
    val strings = StatsCollector.stringColumns(snapshot).map(_._1)
    // It is not known for which columns another writer has bounds, only that they are strings.
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

  /** Returns `struct` with the additional fields of `other`. */
  private def merged(struct: StructType, other: StructType): StructType = {
    val names = struct.fieldNames.toSet
    StructType(
      struct.fields.map { field =>
        (field.dataType, other.find(_.name == field.name).map(_.dataType)) match {
          case (inner: StructType, Some(otherInner: StructType)) =>
            field.copy(dataType = merged(inner, otherInner))
          case _ => field
        }
      } ++ other.filterNot(field => names(field.name))
    )
  }
}
