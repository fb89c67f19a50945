# SPDX-License-Identifier: Apache-2.0

"""Computes the order of names in a Spark session with sorts, groups, windows and comparisons."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from delta_collations import configure_spark_with_collations
from pyspark.sql import SparkSession
from robustness.harness.order_differences import ranks_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from robustness.harness.order_differences import Flags, Ranks
    from robustness.harness.place_names import Names

SETTINGS = ("spark.deltaCollations.speed.enabled", "spark.deltaCollations.correctness.enabled")


def start() -> SparkSession:
    """Start a session with enough memory for a million names."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.memory", "3g")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.ui.enabled", "false")
    )
    return configure_spark_with_collations(builder).getOrCreate()


@contextmanager
def stock(spark: SparkSession) -> Iterator[None]:
    """Run the block with our optimizer rules disabled."""
    for setting in SETTINGS:
        spark.conf.set(setting, "false")
    try:
        yield
    finally:
        for setting in SETTINGS:
            spark.conf.unset(setting)


def create_view(spark: SparkSession, names: Names, collation: str) -> None:
    """Create the temporary view ``names``."""
    spark.read.parquet(str(names.table)).selectExpr(
        "id", f"collate(n, '{collation}') AS n"
    ).createOrReplaceTempView("names")


def ranks(spark: SparkSession, names: Names, collation: str) -> Ranks:
    """Return the ranks of names by ``ORDER BY``, and by ``=`` between neighbors."""
    create_view(spark, names, collation)
    ids = _column(spark, "SELECT id FROM names ORDER BY n, id")
    return ranks_of(ids, ~_compare_neighbors(spark, names, ids, collation, "="))


def contradictions(spark: SparkSession, names: Names, collation: str, ranks: Ranks) -> int:
    """Count names for which ``GROUP BY``, a window or ``<`` contradicts ``ranks``."""
    create_view(spark, names, collation)
    first = np.full(ranks.max() + 1, len(ranks), np.int32)
    np.minimum.at(first, ranks, np.arange(len(ranks), dtype=np.int32))
    window = spark.sql("SELECT id, min(id) OVER (PARTITION BY n) AS first FROM names").toArrow()
    by_window = window["first"].to_numpy() != first[ranks][window["id"].to_numpy()]
    groups = spark.sql("SELECT min(id) AS first, count(*) AS c FROM names GROUP BY n").toArrow()
    counts = np.zeros(len(ranks), np.int64)
    counts[groups["first"].to_numpy()] = groups["c"].to_numpy()
    by_group = counts[first] != np.bincount(ranks)
    ids = np.argsort(ranks, kind="stable").astype(np.int32)
    is_more = np.concatenate(([False], np.diff(ranks[ids]) > 0))
    by_less = _compare_neighbors(spark, names, ids, collation, "<") != is_more
    return sum(int(np.count_nonzero(each)) for each in (by_window, by_group, by_less)) + abs(
        len(groups) - len(first)
    )


def _compare_neighbors(
    spark: SparkSession, names: Names, ids: Ranks, collation: str, sign: str
) -> Flags:
    """Return for each name in this order whether comparing its predecessor with it is true."""
    words = pa.array(names.words).take(pa.array(ids))
    path = names.folder / "neighbors.parquet"
    places = pa.array(range(1, len(words)), pa.int32())
    pairs = pa.table({"place": places, "l": words[:-1], "r": words[1:]})
    pq.write_table(pairs, path, row_group_size=100_000)
    left, right = (f"collate({side}, '{collation}')" for side in "lr")
    rows = spark.read.parquet(str(path))
    found = np.zeros(len(words), bool)
    found[rows.where(f"{left} {sign} {right}").select("place").toArrow()[0].to_numpy()] = True
    return found


def _column(spark: SparkSession, query: str) -> Ranks:
    found: Ranks = spark.sql(query).toArrow()[0].to_numpy()
    return found
