# SPDX-License-Identifier: Apache-2.0
"""Append of two million rows with and without collated statistics."""

import tempfile
import time

from delta_collations import configure_spark_with_collations
from pyspark.sql import DataFrame, SparkSession

ROUNDS = 8
ROWS = 2_000_000

STATS_ENABLED = "spark.deltaCollations.stats.enabled"
PLAIN = "name STRING, city STRING"
COLLATED = "name STRING COLLATE UNICODE_CI, city STRING COLLATE UTF8_LCASE"

# The columns of the table, and whether collated statistics are collected.
VARIANTS = {
    "plain columns, plain Delta": (PLAIN, "true"),
    "collated columns, no statistics": (COLLATED, "false"),
    "collated columns, statistics": (COLLATED, "true"),
}


def people(spark: SparkSession) -> DataFrame:
    """Return names of about twenty characters, three in eight with a non-ASCII letter."""
    word = "element_at(array('Anna', 'bob', 'Émile', 'jörg', 'Weiß', 'Carla', 'dave', 'Élise'), {})"
    first, second = (word.format(f"1 + CAST(rand({seed}) * 8 AS INT)") for seed in (1, 2))
    name = f"concat({first}, ' ', {second}, ' ', CAST(rand(3) * 1e9 AS INT))"
    city = f"concat({second}, ' ', {first}, ' ', CAST(rand(4) * 1e9 AS INT))"
    rows = spark.range(0, ROWS, 1, 2).selectExpr(f"{name} AS name", f"{city} AS city").cache()
    assert rows.count() == ROWS
    return rows


def append(spark: SparkSession, rows: DataFrame, columns: str, collect: str) -> float:
    """Append the rows to a new table and return the elapsed time."""
    with tempfile.TemporaryDirectory() as folder:
        spark.sql(f"CREATE TABLE delta.`{folder}/t` ({columns}) USING delta")
        spark.conf.set(STATS_ENABLED, collect)
        started = time.monotonic()
        rows.write.format("delta").mode("append").save(f"{folder}/t")
        return time.monotonic() - started


def main() -> None:
    """Alternate between the variants and print the best time of each with ratios."""
    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "4g")
    spark = configure_spark_with_collations(builder).getOrCreate()
    rows = people(spark)
    best: dict[str, float] = {}
    for _ in range(ROUNDS):
        for variant, (columns, collect) in VARIANTS.items():
            elapsed = append(spark, rows, columns, collect)
            best[variant] = min(best.get(variant, float("inf")), elapsed)
    plain = next(iter(best.values()))
    print(f"Append of {ROWS:,} rows, two string columns; seconds, best of {ROUNDS}, alternating\n")
    print(f"{'':<34}{'seconds':>9}{'ratio':>9}")
    for variant, seconds in best.items():
        print(f"{variant:<34}{seconds:>9.2f}{seconds / plain:>9.2f}")


if __name__ == "__main__":
    main()
