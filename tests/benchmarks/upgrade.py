# SPDX-License-Identifier: Apache-2.0
"""What it costs to bring the statistics of a table to another version of ICU."""

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

# How bounds come to the running version; without a proof, all files have to be read.
PROVEN, READ = "re-labelled by proof", "recomputed from the files"


def make(spark: SparkSession, path: Path) -> Table:
    """Make a table with names in the letters of several languages, in 1,000 files."""
    table = Table(spark, path).create("id BIGINT, name STRING COLLATE UNICODE_CI, note STRING")
    word = "element_at(array('Anna', 'Émile', 'Jörg', 'Łukasz', 'Željko', 'Σοφία', 'Иван'), {})"
    name = f"concat({word.format('1 + CAST(rand(1) * 7 AS INT)')}, ' ', CAST(id AS STRING))"
    rows = spark.range(0, FILES * ROWS_PER_FILE, 1, FILES)
    rows.selectExpr("id", f"{name} AS name", "repeat(uuid(), 4) AS note").write.format(
        "delta"
    ).mode("append").save(str(path))
    return table


def seconds(table: Table, way: str) -> float:
    """Bring all files to the running version in one of the ways, and return what that took."""
    started = time.monotonic()
    with setting(table.spark, RELABEL_ENABLED, str(way == PROVEN).lower()):
        [done] = table.sql("ANALYZE TABLE {t} COMPUTE DELTA STATISTICS").collect()
    took = time.monotonic() - started
    assert done["files_refreshed"] == FILES
    assert done["files_relabeled"] == (FILES if way == PROVEN else 0)
    return took


def once(made: Table, path: Path, way: str) -> float:
    """Do it to a copy of the table; by proof, with files that nobody can read."""
    shutil.copytree(made.path, path)
    table = Table(made.spark, path)
    with unreadable_data_files(table) if way == PROVEN else nullcontext():
        took = seconds(table, way)
    assert len(table.sql("SELECT * FROM {t} WHERE name = 'ANNA -1'").inputFiles()) <= 1
    shutil.rmtree(path)
    return took


def main() -> None:
    """Alternate the ways on copies of one table, keep the best time of each, print ratios."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.memory", "4g")
        .config("spark.sql.shuffle.partitions", "4")
    )
    spark = configure_spark_with_collations(builder).getOrCreate()
    [full] = spark.sql(
        "SELECT DISTINCT icu_version FROM collations() WHERE name = 'UNICODE_CI'"
    ).collect()
    running = ".".join(full[0].split(".")[:2])
    best = dict.fromkeys((PROVEN, READ), float("inf"))
    with tempfile.TemporaryDirectory() as folder:
        made = set_stats_version(make(spark, Path(folder) / "made"), PREVIOUS_ICU[running], running)
        for number in range(ROUNDS):
            for way in best:
                best[way] = min(best[way], once(made, Path(folder) / f"{way} {number}", way))
        size = sum(path.stat().st_size for path in made.path.glob("*.parquet"))
    steps = f"from {PREVIOUS_ICU[running]} to {running}"
    print(f"{FILES:,} files of {ROWS_PER_FILE:,} rows, {size >> 20} MB, {steps};")
    print(f"seconds, best of {ROUNDS}, alternating, data files unreadable while re-labelled\n")
    print(f"{'':<28}{'seconds':>9}{'ratio':>9}")
    for way, took in best.items():
        print(f"{way:<28}{took:>9.2f}{took / best[PROVEN]:>9.1f}")


if __name__ == "__main__":
    main()
