# SPDX-License-Identifier: Apache-2.0
"""Refresh of all statistics of a table after an upgrade to another ICU version."""

from __future__ import annotations

import shutil
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path

from delta_collations import configure_spark_with_collations
from pyspark.sql import SparkSession
from support.icu_upgrade import (
    PREVIOUS_ICU,
    RELABEL_ENABLED,
    set_stats_version,
    unreadable_data_files,
)
from support.tables import Table, setting

FILES = 1_000
ROWS_PER_FILE = 2_000
ROUNDS = 3

# How a refresh computes bounds of the current version. Relabeling does not read data files.
RELABELED, RECOMPUTED = "relabeled", "recomputed from data files"


def create(spark: SparkSession, path: Path) -> Table:
    """Create a table of 1,000 files with names in several scripts."""
    table = Table(spark, path).create("id BIGINT, name STRING COLLATE UNICODE_CI, note STRING")
    word = "element_at(array('Anna', 'Émile', 'Jörg', 'Łukasz', 'Željko', 'Σοφία', 'Иван'), {})"
    name = f"concat({word.format('1 + CAST(rand(1) * 7 AS INT)')}, ' ', CAST(id AS STRING))"
    rows = spark.range(0, FILES * ROWS_PER_FILE, 1, FILES)
    rows.selectExpr("id", f"{name} AS name", "repeat(uuid(), 4) AS note").write.format(
        "delta"
    ).mode("append").save(str(path))
    return table


def refresh(table: Table, method: str) -> float:
    """Refresh all files with one of the methods and return the elapsed time."""
    started = time.monotonic()
    with setting(table.spark, RELABEL_ENABLED, str(method == RELABELED).lower()):
        [result] = table.sql("ANALYZE TABLE {t} COMPUTE DELTA STATISTICS").collect()
    elapsed = time.monotonic() - started
    assert result["files_refreshed"] == FILES
    assert result["files_relabeled"] == (FILES if method == RELABELED else 0)
    return elapsed


def refresh_copy(source: Table, path: Path, method: str) -> float:
    """Refresh a copy of the table, with unreadable data files if the method is relabeling."""
    shutil.copytree(source.path, path)
    table = Table(source.spark, path)
    with unreadable_data_files(table) if method == RELABELED else nullcontext():
        elapsed = refresh(table, method)
    assert len(table.sql("SELECT * FROM {t} WHERE name = 'ANNA -1'").inputFiles()) <= 1
    shutil.rmtree(path)
    return elapsed


def main() -> None:
    """Alternate between the methods on copies of one table and print the best times with ratios."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.memory", "4g")
        .config("spark.sql.shuffle.partitions", "4")
    )
    spark = configure_spark_with_collations(builder).getOrCreate()
    [full] = spark.sql(
        "SELECT DISTINCT icu_version FROM collations() WHERE name = 'UNICODE_CI'"
    ).collect()
    current = ".".join(full[0].split(".")[:2])
    best = dict.fromkeys((RELABELED, RECOMPUTED), float("inf"))
    with tempfile.TemporaryDirectory() as folder:
        source = set_stats_version(
            create(spark, Path(folder) / "source"), PREVIOUS_ICU[current], current
        )
        for number in range(ROUNDS):
            for method in best:
                copy = Path(folder) / f"{method} {number}"
                best[method] = min(best[method], refresh_copy(source, copy, method))
        size = sum(path.stat().st_size for path in source.path.glob("*.parquet"))
    steps = f"from {PREVIOUS_ICU[current]} to {current}"
    print(f"{FILES:,} files of {ROWS_PER_FILE:,} rows, {size >> 20} MB, {steps};")
    print(f"seconds, best of {ROUNDS}, alternating, data files unreadable while relabeling\n")
    print(f"{'':<28}{'seconds':>9}{'ratio':>9}")
    for method, elapsed in best.items():
        print(f"{method:<28}{elapsed:>9.2f}{elapsed / best[RELABELED]:>9.1f}")


if __name__ == "__main__":
    main()
