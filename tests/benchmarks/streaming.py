# SPDX-License-Identifier: Apache-2.0
"""Streams with state by collated keys, compared with UTF8_BINARY keys."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from delta_collations import configure_spark_with_collations
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame

STATE_STORES = ("HDFSBackedStateStoreProvider", "RocksDBStateStoreProvider")
COLLATION = "STRING COLLATE UNICODE_CI"
KINDS = {"ours": COLLATION, "binary": "STRING"}

OPERATORS: dict[str, tuple[str, Callable[[DataFrame], DataFrame]]] = {
    "GROUP BY": ("update", lambda rows: rows.groupBy("name").count()),
    "GROUP BY window": (
        "append",
        lambda rows: (
            rows.withWatermark("ts", "1 minute").groupBy(F.window("ts", "1 minute"), "name").count()
        ),
    ),
    "dropDuplicates": ("append", lambda rows: rows.dropDuplicates(["name"])),
    "join": (
        "append",
        lambda rows: (
            rows.where("id % 2 = 0")
            .alias("l")
            .join(rows.where("id % 2 = 1").alias("r"), F.expr("l.name = r.name"))
            .select("l.id")
        ),
    ),
}


def start() -> SparkSession:
    """Start a session with few partitions of state."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.memory", "6g")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.ui.enabled", "false")
    )
    return configure_spark_with_collations(builder).getOrCreate()


def seconds(spark: SparkSession, source: Path, kind: str, operator: str) -> float:
    """Run a stream over all files, with a new checkpoint, and return the time per file."""
    mode, query = OPERATORS[operator]
    schema = f"id BIGINT, ts TIMESTAMP, name {KINDS[kind]}"
    reader = spark.readStream.schema(schema).option("maxFilesPerTrigger", "1")
    rows = reader.parquet(str(source))
    with tempfile.TemporaryDirectory() as checkpoint:
        writer = query(rows).writeStream.format("noop").outputMode(mode)
        stream = writer.option("checkpointLocation", checkpoint).trigger(availableNow=True).start()
        stream.awaitTermination()
        # The first batches load classes.
        durations = [each["durationMs"]["addBatch"] for each in stream.recentProgress]
        return float(sum(durations[2:])) / 1000


def main() -> None:
    """Alternate between the kinds of keys and print the best times with their ratio."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=100_000, help="rows per micro-batch")
    parser.add_argument("--batches", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    spark = start()
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    print(
        f"{arguments.rows:,} rows per micro-batch, half of them new names, UNICODE_CI; seconds in"
    )
    print(f"{arguments.batches - 2} micro-batches, best of {arguments.rounds}, alternating\n")
    print(f"{'':<44}{'ours':>8}{'binary':>8}{'x binary':>10}")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        for batch in range(arguments.batches):
            first = batch * arguments.rows
            rows = spark.range(first, first + arguments.rows, 1, 1).selectExpr(
                "id",
                "timestamp_seconds(id DIV 1000) AS ts",
                f"concat('Näme ', CAST(rand({batch}) * {first + arguments.rows} AS INT)) AS name",
            )
            rows.write.mode("append").parquet(str(source))
        for store in STATE_STORES:
            spark.conf.set(
                "spark.sql.streaming.stateStore.providerClass",
                f"org.apache.spark.sql.execution.streaming.state.{store}",
            )
            for operator in OPERATORS:
                best = dict.fromkeys(KINDS, float("inf"))
                for _ in range(arguments.rounds):
                    for kind in KINDS:
                        best[kind] = min(best[kind], seconds(spark, source, kind, operator))
                ratio = best["ours"] / best["binary"]
                label = f"{operator}, {store.removesuffix('StateStoreProvider')}"
                print(
                    f"{label:<44}{best['ours']:>8.2f}{best['binary']:>8.2f}{ratio:>10.2f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
