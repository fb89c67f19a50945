# SPDX-License-Identifier: Apache-2.0
"""MERGE of 100 rows into a table of 1,000 files with different ranges of keys."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from delta_collations import configure_spark_with_collations
from pyspark.sql import SparkSession

ROUNDS = 2
FILES = 1_000
ROWS_PER_FILE = 100
SOURCE_ROWS = 100

MERGE_KEYS = "spark.deltaCollations.skipping.mergeKeys.enabled"
# Delta's SQL metric for the files that a MERGE reads to find matches.
FILES_READ = "number of target files after skipping"

COLUMNS = {
    "UTF8_BINARY": "STRING",
    "UNICODE_CI": "STRING COLLATE UNICODE_CI",
    "UNICODE_AI": "STRING COLLATE UNICODE_AI",
}

# The distance between two keys of the source, by the number of files that have them.
SOURCES = {10: 10, 100: 1_000}

# Whether the keys of the source are used, and whether the condition also lists them.
VARIANTS = {
    "keys of the source": ("true", False),
    "IN with all keys": ("false", True),
    "neither": ("false", False),
}


class Merge(NamedTuple):
    """The time of a statement, and the number of files that it read and rewrote."""

    seconds: float
    read: int
    rewritten: int


def name(number: int) -> str:
    """Return the name with a number; names are in the order of their numbers."""
    return f"Näme {number:08d}"


def make_tables(spark: SparkSession, folder: str) -> None:
    """Create a target for each collation, and the sources."""
    rows = spark.range(0, FILES * ROWS_PER_FILE, 1, FILES)
    for collation, column in COLUMNS.items():
        path = f"{folder}/{collation}"
        spark.sql(f"CREATE TABLE delta.`{path}` (id BIGINT, name {column}) USING delta")
        names = rows.selectExpr("id", "concat('Näme ', lpad(id, 8, '0')) AS name")
        names.write.format("delta").mode("append").save(path)
    for step in SOURCES.values():
        names = spark.createDataFrame([(name(each),) for each in keys(step)], "name STRING")
        names.coalesce(1).write.format("delta").save(f"{folder}/{step}")


def keys(step: int) -> list[int]:
    """Return the numbers of the names in a source."""
    return [number * step for number in range(SOURCE_ROWS)]


def merge(spark: SparkSession, folder: str, collation: str, step: int, variant: str) -> Merge:
    """Merge into a copy of a table."""
    enabled, lists_keys = VARIANTS[variant]
    spark.conf.set(MERGE_KEYS, enabled)
    listed = ", ".join(f"'{name(each)}'" for each in keys(step))
    condition = "t.name = s.name" + (f" AND t.name IN ({listed})" if lists_keys else "")
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / "table"
        shutil.copytree(f"{folder}/{collation}", copy)
        started = time.monotonic()
        result = spark.sql(
            f"MERGE INTO delta.`{copy}` t USING delta.`{folder}/{step}` s ON {condition} "
            "WHEN MATCHED THEN UPDATE SET id = -t.id"
        ).first()
        seconds = time.monotonic() - started
        assert result is not None
        assert result["num_updated_rows"] == SOURCE_ROWS
        history = spark.sql(f"DESCRIBE HISTORY delta.`{copy}` LIMIT 1").first()
        assert history is not None
        rewritten = int(history["operationMetrics"]["numTargetFilesRemoved"])
    return Merge(seconds, last_metric(spark, FILES_READ), rewritten)


def last_metric(spark: SparkSession, wanted: str) -> int:
    """Return a SQL metric of the last statement that has it."""
    store = spark._jsparkSession.sharedState().statusStore()  # noqa: SLF001
    executions = store.executionsList()
    for place in reversed(range(executions.size())):
        execution = executions.apply(place)
        metrics = execution.metrics()
        for index in range(metrics.size()):
            if metrics.apply(index).name() == wanted:
                values = store.executionMetrics(execution.executionId())
                value = str(values.apply(metrics.apply(index).accumulatorId()))
                return int(value.replace(",", ""))
    raise AssertionError(wanted)


def main() -> None:
    """Alternate between the variants and print the best time of each with ratios."""
    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "3g")
    spark = configure_spark_with_collations(builder).getOrCreate()
    print(
        f"MERGE of {SOURCE_ROWS} rows into a table of {FILES:,} files; files that it reads to find"
    )
    print(f"matches, files that it rewrites, seconds (best of {ROUNDS}, alternating), and ratio to")
    print("the condition that also lists all keys.\n")
    print(
        f"{'key':<14}{'keys in':>8}  {'files found by':<20}{'read':>7}{'rewritten':>11}",
        end="",
    )
    print(f"{'seconds':>9}{'ratio':>8}")
    with tempfile.TemporaryDirectory() as folder:
        make_tables(spark, folder)
        for collation in COLUMNS:
            for files, step in SOURCES.items():
                runs = [
                    {each: merge(spark, folder, collation, step, each) for each in VARIANTS}
                    for _ in range(ROUNDS)
                ]
                best = {each: min(run[each] for run in runs) for each in VARIANTS}
                for variant, (seconds, read, rewritten) in best.items():
                    ratio = seconds / best["IN with all keys"].seconds
                    print(f"{collation:<14}{files:>8}  {variant:<20}{read:>7}", end="")
                    print(f"{rewritten:>11}{seconds:>9.2f}{ratio:>8.2f}", flush=True)


if __name__ == "__main__":
    main()
