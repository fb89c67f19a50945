# SPDX-License-Identifier: Apache-2.0
"""What collated statistics cost when two million rows are appended."""

import tempfile
import time

from delta_collations import configure_spark_with_collations
from pyspark.sql import DataFrame, SparkSession

ROUNDS = 8
ROWS = 2_000_000

COLLECT = "spark.deltaCollations.stats.enabled"
PLAIN = "name STRING, city STRING"
COLLATED = "name STRING COLLATE UNICODE_CI, city STRING COLLATE UTF8_LCASE"

# Columns of the table, and whether collated statistics are collected.
WAYS = {
    "plain columns, plain Delta": (PLAIN, "true"),
    "collated columns, no statistics": (COLLATED, "false"),
    "collated columns, statistics": (COLLATED, "true"),
}


def people(spark: SparkSession) -> DataFrame:
    """Return names of about twenty characters, three in eight with a letter beyond ASCII."""
    word = "element_at(array('Anna', 'bob', 'Émile', 'jörg', 'Weiß', 'Carla', 'dave', 'Élise'), {})"
    first, second = (word.format(f"1 + CAST(rand({seed}) * 8 AS INT)") for seed in (1, 2))
    name = f"concat({first}, ' ', {second}, ' ', CAST(rand(3) * 1e9 AS INT))"
    city = f"concat({second}, ' ', {first}, ' ', CAST(rand(4) * 1e9 AS INT))"
    rows = spark.range(0, ROWS, 1, 2).selectExpr(f"{name} AS name", f"{city} AS city").cache()
    assert rows.count() == ROWS
    return rows


def append(spark: SparkSession, rows: DataFrame, columns: str, collect: str) -> float:
    """Append the rows to a new table, and return the seconds that took."""
    with tempfile.TemporaryDirectory() as folder:
        spark.sql(f"CREATE TABLE delta.`{folder}/t` ({columns}) USING delta")
        spark.conf.set(COLLECT, collect)
        started = time.monotonic()
        rows.write.format("delta").mode("append").save(f"{folder}/t")
        return time.monotonic() - started


def main() -> None:
    """Alternate the ways, keep the best time of each, print a table with ratios."""
    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "4g")
    spark = configure_spark_with_collations(builder).getOrCreate()
    rows = people(spark)
    best: dict[str, float] = {}
    for _ in range(ROUNDS):
        for way, (columns, collect) in WAYS.items():
            best[way] = min(best.get(way, float("inf")), append(spark, rows, columns, collect))
    plain = next(iter(best.values()))
    print(f"Append of {ROWS:,} rows, two string columns; seconds, best of {ROUNDS}, alternating\n")
    print(f"{'':<34}{'seconds':>9}{'ratio':>9}")
    for way, seconds in best.items():
        print(f"{way:<34}{seconds:>9.2f}{seconds / plain:>9.2f}")


if __name__ == "__main__":
    main()
