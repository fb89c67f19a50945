# SPDX-License-Identifier: Apache-2.0
"""OPTIMIZE of a clustered table with a collated column and with a plain one."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

from delta_collations import configure_spark_with_collations
from pyspark.sql import SparkSession

ROUNDS = 3
ROWS = 1_000_000
FILES = 16

SPEED_LAYOUT = "spark.deltaCollations.speed.layout.enabled"
MAX_FILE_SIZE = "spark.databricks.delta.optimize.maxFileSize"

COLLATIONS = ("UNICODE_CI", "UNICODE", "UNICODE_CI_AI", "UTF8_LCASE")

# The table, and whether its rows are compared by sort keys.
VARIANTS = {
    "plain column": ("STRING", "true"),
    **{
        f"{name}, {how}": (f"STRING COLLATE {name}", enabled)
        for name in COLLATIONS
        for how, enabled in (("sort keys", "true"), ("comparator", "false"))
    },
}


def make_table(spark: SparkSession, path: Path, column: str) -> None:
    """Create a clustered table of unordered names, three in eight with a non-ASCII letter."""
    spark.sql(
        f"CREATE TABLE delta.`{path}` (id BIGINT, name {column}) USING delta CLUSTER BY (name)"
    )
    word = "element_at(array('Anna', 'bob', 'Émile', 'jörg', 'Weiß', 'Carla', 'dave', 'Élise'), {})"
    first, second = (word.format(f"1 + CAST(rand({seed}) * 8 AS INT)") for seed in (1, 2))
    name = f"concat({first}, ' ', {second}, ' ', CAST(rand(3) * 1e9 AS INT))"
    rows = spark.range(0, ROWS, 1, FILES).selectExpr("id", f"{name} AS name")
    rows.write.format("delta").mode("append").save(str(path))


def optimize(spark: SparkSession, original: Path) -> tuple[float, int]:
    """Optimize a copy of a table; return the elapsed time and the number of files written."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "table"
        shutil.copytree(original, copy)
        started = time.monotonic()
        [row] = spark.sql(f"OPTIMIZE delta.`{copy}`").collect()
        return time.monotonic() - started, row["metrics"]["numFilesAdded"]


def main() -> None:
    """Alternate between the variants and print the best time of each with ratios."""
    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "3g")
    spark = configure_spark_with_collations(builder).getOrCreate()
    best: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        tables = {column: Path(folder) / column for column, _ in VARIANTS.values()}
        for column, path in tables.items():
            make_table(spark, path, column)
        size = sum(file.stat().st_size for file in tables["STRING"].glob("*.parquet"))
        spark.conf.set(MAX_FILE_SIZE, str(size // FILES))
        for _ in range(ROUNDS):
            for variant, (column, by_key) in VARIANTS.items():
                spark.conf.set(SPEED_LAYOUT, by_key)
                elapsed, files = optimize(spark, tables[column])
                assert files >= FILES // 2, files
                best[variant] = min(best.get(variant, float("inf")), elapsed)
    plain = next(iter(best.values()))
    print(f"OPTIMIZE of a table of {ROWS:,} rows and {FILES} files, clustered by a string column;")
    print(f"seconds, best of {ROUNDS}, alternating\n")
    print(f"{'':<34}{'seconds':>9}{'ratio':>9}")
    for variant, seconds in best.items():
        print(f"{variant:<34}{seconds:>9.2f}{seconds / plain:>9.2f}")


if __name__ == "__main__":
    main()
