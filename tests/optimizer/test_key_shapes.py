# SPDX-License-Identifier: Apache-2.0
"""Queries return the same rows as stock Spark for every key shape in every position.

Keys are strings, structs and arrays with collated fields, constants and NULLs. Positions are sorts,
groups, windows, set operations, subqueries, every join type, and MERGE. Each query runs with and
without our rules. The session fails a query if Spark's validation rejects its plan, if one of our
rules falls back to Spark's plan, or if the plan changes when a batch of rules is applied again.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F  # noqa: N812
from support.tables import Table, setting, without_codegen

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

COLLATED = "STRING COLLATE UNICODE_CI"

# `k`, `kt` and `ka` are constants, `kn` is a constant NULL; every other key is nullable.
COLUMNS = f"""
    id, s, t, a, b, u, m,
    'BOB' COLLATE UNICODE_CI AS k,
    named_struct('f', 'BOB' COLLATE UNICODE_CI, 'n', 1) AS kt,
    array('bob' COLLATE UNICODE_CI, 'Eve' COLLATE UNICODE_CI) AS ka,
    CAST(NULL AS {COLLATED}) AS kn
"""

KEYS = [
    "s", "ltrim(s)", "coalesce(s, 'zoe' COLLATE UNICODE_CI)", "t", "t.f",
    "named_struct('f', s, 'n', id)", "a", "get(a, 0)", "b", "get(b, 0)", "u",
    "element_at(m, 1)", "k", "kt", "ka", "kn",
]  # fmt: skip

PAIRS = [
    ("s", "s"), ("s", "k"), ("k", "s"), ("k", "k"), ("s", "kn"), ("ltrim(s)", "s"), ("t", "t"),
    ("t", "kt"), ("kt", "t"), ("t.f", "s"), ("a", "a"), ("a", "ka"), ("b", "b"), ("u", "u"),
    ("element_at(m, 1)", "s"),
]  # fmt: skip

JOINS = ["INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI"]
HINTS = ["MERGE", "SHUFFLE_HASH", "BROADCAST", "SHUFFLE_REPLICATE_NL"]

ROWS = [
    (
        "1, 'bob', struct('bob', 1), array('bob', 'eve'), array(struct('bob')), "
        "struct(array('x')), map(1, 'BOB')"
    ),
    (
        "2, 'BOB', struct('BOB', 1), array('BOB', 'EVE'), array(struct('BOB')), "
        "struct(array('X')), map(1, 'Eve')"
    ),
    (
        "3, 'eve', struct('eve', 2), array('Bob'), array(struct('x'), NULL), "
        "struct(array('x', NULL)), map()"
    ),
    (
        "4, 'Eve', struct('Eve', 2), array('bob', NULL), array(NULL, struct('X')), "
        "struct(array()), map(1, NULL)"
    ),
    "5, NULL, struct(NULL, 1), array(), array(), struct(NULL), NULL",
    "6, 'straße', NULL, NULL, NULL, NULL, map(1, 'bob')",
    (
        "7, ' bob', struct(' bob', NULL), array(NULL), array(struct(NULL)), "
        "struct(array('straße')), map(2, 'x')"
    ),
]


@pytest.fixture(scope="module")
def keys(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Table:
    """Return a table with collated strings at every depth."""
    table = Table(spark, tmp_path_factory.mktemp("key_shapes") / "keys")
    table.create(
        f"id INT, s {COLLATED}, t STRUCT<f: {COLLATED}, n: INT>, a ARRAY<{COLLATED}>, "
        f"b ARRAY<STRUCT<f: {COLLATED}>>, u STRUCT<a: ARRAY<{COLLATED}>>, m MAP<INT, {COLLATED}>"
    )
    table.insert(*ROWS[:4])
    return table.insert(*ROWS[4:])


@pytest.fixture(scope="module")
def stock_keys(keys: Table) -> Table:
    """Return the same rows in Parquet files, which are planned faster than a Delta table."""
    path = keys.path.parent / "stock"
    rows = keys.spark.table(keys.name)
    rows.coalesce(2).write.parquet(str(path))
    keys.spark.read.schema(rows.schema).parquet(str(path)).createOrReplaceTempView("stock_keys")
    stock = Table(keys.spark, path)
    stock.name = "stock_keys"
    return stock


@contextmanager
def checks_of_plans(spark: SparkSession) -> Iterator[None]:
    """Make Spark check that batches which run once are idempotent, as in its own tests."""
    jvm = spark._jvm  # noqa: SLF001
    assert jvm is not None
    jvm.System.setProperty("spark.testing", "true")
    try:
        yield
    finally:
        jvm.System.clearProperty("spark.testing")


@contextmanager
def stock_spark(spark: SparkSession) -> Iterator[None]:
    with ExitStack() as settings:
        for feature in ("speed", "correctness", "skipping"):
            settings.enter_context(
                setting(spark, f"spark.deltaCollations.{feature}.enabled", "false")
            )
        yield


def source(alias: str) -> str:
    return f"(SELECT {COLUMNS} FROM {{t}}) {alias}"


def query_rows(table: Table, queries: list[str]) -> list[tuple[Any, ...]]:
    """Return the rows of all queries, each with the number of its query."""
    numbered = [f"SELECT {number} AS query, * FROM ({each})" for number, each in enumerate(queries)]
    return sorted(table.rows(" UNION ALL ".join(numbered)), key=repr)


def assert_matches_stock_spark(table: Table, stock: Table, queries: list[str]) -> None:
    with without_codegen(table.spark):
        with checks_of_plans(table.spark):
            ours = query_rows(table, queries)
        with stock_spark(table.spark):
            assert ours == query_rows(stock, queries)
    assert ours


# Only `id`s and counts are compared: which spelling a group shows is not defined.
POSITIONS = {
    "order by": "SELECT collect_list(id) FROM (SELECT id FROM {x} ORDER BY {k}, id)",
    "group by": "SELECT count(*), min(id) FROM {x} GROUP BY {k}",
    "group by all": "SELECT k IS NULL, c FROM (SELECT {k} AS k, count(*) c FROM {x} GROUP BY ALL)",
    "rollup": "SELECT grouping({k}), id % 2, count(*) FROM {x} GROUP BY ROLLUP ({k}, id % 2)",
    "having": (
        "SELECT count(*) c, min(id) FROM {x} GROUP BY {k} HAVING {k} IS NOT NULL AND count(*) > 0"
    ),
    "distinct": "SELECT count(*) FROM (SELECT DISTINCT {k} FROM {x})",
    "count distinct": (
        "SELECT count(DISTINCT {k}), count(DISTINCT {k}, id % 2), count(DISTINCT id) FROM {x}"
    ),
    "count distinct by group": (
        "SELECT id % 2, count(DISTINCT {k}) FILTER (WHERE id > 1) FROM {x} GROUP BY id % 2"
    ),
    "window partition": "SELECT id, row_number() OVER (PARTITION BY {k} ORDER BY id) FROM {x}",
    "window order": (
        "SELECT id, rank() OVER (ORDER BY {k}), ntile(3) OVER (PARTITION BY id % 2 ORDER BY {k}, "
        "id) FROM {x}"
    ),
    "union": "SELECT count(*) FROM (SELECT {k} FROM {x} UNION SELECT {k} FROM {x} WHERE id > 2)",
    "intersect": (
        "SELECT count(*) FROM (SELECT {k} FROM {x} INTERSECT SELECT {k} FROM {x} WHERE id > 2)"
    ),
    "except": "SELECT count(*) FROM (SELECT {k} FROM {x} EXCEPT SELECT {k} FROM {x} WHERE id > 2)",
    "intersect all": (
        "SELECT count(*) FROM (SELECT {k} FROM {x} INTERSECT ALL SELECT {k} FROM {x} WHERE id > 2)"
    ),
    "except all": (
        "SELECT count(*) FROM (SELECT {k} FROM {x} EXCEPT ALL SELECT {k} FROM {x} WHERE id > 2)"
    ),
    "in": "SELECT id FROM {x} WHERE {k} IN (SELECT {k} FROM {x} WHERE id > 2)",
    "not in": (
        "SELECT id FROM {x} WHERE {k} NOT IN (SELECT {k} FROM {x} WHERE id > 2 AND {k} IS NOT NULL)"
    ),
    "in or": "SELECT id FROM {x} WHERE id = 1 OR {k} IN (SELECT {k} FROM {x} WHERE id > 2)",
    "in as a column": "SELECT id, {k} IN (SELECT {k} FROM {x} WHERE id > 2) FROM {x}",
    "limit": "SELECT id FROM (SELECT id FROM {x} ORDER BY {k}, id LIMIT 3)",
}


@pytest.mark.parametrize("position", POSITIONS)
def test_every_key_shape_matches_stock_spark(keys: Table, stock_keys: Table, position: str) -> None:
    queries = [POSITIONS[position].format(k=key, x=source("x")) for key in KEYS]
    assert_matches_stock_spark(keys, stock_keys, queries)


CORRELATED = {
    "exists": (
        "SELECT id FROM {x} WHERE EXISTS (SELECT 1 FROM {y} WHERE y.{r} = x.{l} AND y.id > 2)"
    ),
    "not exists": (
        "SELECT id FROM {x} WHERE NOT EXISTS (SELECT 1 FROM {y} WHERE y.{r} <=> x.{l} AND y.id > "
        "x.id)"
    ),
    "in": "SELECT id FROM {x} WHERE x.{l} IN (SELECT y.{r} FROM {y} WHERE y.id > x.id)",
    "scalar": "SELECT id, (SELECT count(*) FROM {y} WHERE y.{r} = x.{l}) FROM {x}",
    "scalar in where": (
        "SELECT id FROM {x} WHERE (SELECT count(*) FROM {y} WHERE y.{r} = x.{l}) > 1"
    ),
    "scalar in group by": (
        "SELECT n, count(*) FROM (SELECT x.{l} AS g, (SELECT count(*) FROM {y} WHERE y.{r} = "
        "x.{l}) AS n, count(id) FROM {x} GROUP BY ALL) GROUP BY n"
    ),
    "exists in having": (
        "SELECT count(*) FROM (SELECT g, count(*) FROM (SELECT x.{l} AS g FROM {x}) z GROUP BY g "
        "HAVING EXISTS (SELECT 1 FROM {y} WHERE y.{r} >= z.g AND y.id > 2))"
    ),
    "lateral": "SELECT id, c FROM {x}, LATERAL (SELECT count(*) c FROM {y} WHERE y.{r} = x.{l})",
    # Spark reads the outer table twice here, and must not prune a struct in only one of the scans.
    "whole rows, scalar": (
        "SELECT to_json(struct(x.*)), (SELECT count(*) FROM {y} WHERE y.{r} >= x.{l}) FROM {x}"
    ),
    "whole rows, lateral": (
        "SELECT to_json(struct(x.*)), c FROM {x} LEFT JOIN LATERAL "
        "(SELECT min(y.id) c FROM {y} WHERE y.{r} = x.{l} AND y.id % 3 < x.id) ON true"
    ),
}

# Subqueries are correlated by columns and fields extracted from them, so functions are excluded.
COLUMN_PAIRS = [(left, right) for left, right in PAIRS if "(" not in left]
COLUMN_PAIRS += [("m[1]", "s"), ("a", "a"), ("t.n", "id")]


@pytest.mark.parametrize("form", CORRELATED)
def test_correlated_subqueries_match_stock_spark(keys: Table, stock_keys: Table, form: str) -> None:
    queries = [
        CORRELATED[form].format(l=left, r=right, x=source("x"), y=source("y"))
        for left, right in COLUMN_PAIRS
    ]
    assert_matches_stock_spark(keys, stock_keys, queries)


@pytest.mark.parametrize("kind", JOINS)
def test_joins_match_stock_spark(keys: Table, stock_keys: Table, kind: str) -> None:
    other = "x.id" if kind in ("LEFT SEMI", "LEFT ANTI") else "y.id"
    queries = []
    for number, (left, right) in enumerate(PAIRS):
        hint = HINTS[number % len(HINTS)]
        equality = "<=>" if number % 3 == JOINS.index(kind) % 3 else "="
        condition = f"{qualified(left, 'x')} {equality} {qualified(right, 'y')}"
        queries.append(
            f"SELECT /*+ {hint}(y) */ x.id, {other} AS other FROM {source('x')} "
            f"{kind} JOIN {source('y')} ON {condition} AND x.id % 3 <= y.id"
        )
    assert_matches_stock_spark(keys, stock_keys, queries)


def qualified(key: str, alias: str) -> str:
    if "(" not in key:
        return f"{alias}.{key}"
    return key.replace("(", f"({alias}.", 1)


def test_using_and_natural_joins_match_stock_spark(keys: Table, stock_keys: Table) -> None:
    queries = [
        f"SELECT x.id, y.id AS other FROM {source('x')} {kind} JOIN {source('y')} USING ({key})"
        for kind in ("INNER", "LEFT", "FULL")
        for key in ("s", "t", "a", "k", "kt", "kn")
    ]
    assert_matches_stock_spark(keys, stock_keys, queries)
    natural = "SELECT count(*) FROM (SELECT s, t FROM {t}) NATURAL JOIN (SELECT s, t FROM {t})"
    assert_matches_stock_spark(keys, stock_keys, [natural])


SOURCES = {
    "constant": "SELECT 9 AS id, 'BOB' COLLATE UNICODE_CI AS s",
    "null": f"SELECT 9 AS id, CAST(NULL AS {COLLATED}) AS s",
    "unmatched": "SELECT 9 AS id, 'nobody' COLLATE UNICODE_CI AS s",
    "values": (
        f"SELECT id, CAST(s AS {COLLATED}) AS s FROM VALUES (8, 'BOB'), (9, 'ann') AS v(id, s)"
    ),
}


@pytest.mark.parametrize("source_name", SOURCES)
def test_merge_on_constant_key_matches_stock_spark(
    spark: SparkSession, tmp_path: Path, source_name: str
) -> None:
    def merged(name: str) -> list[tuple[Any, ...]]:
        table = Table(spark, tmp_path / name).create(f"id INT, s {COLLATED}")
        table.insert("1, 'bob'", "2, 'Bob'", "3, 'eve'", "4, NULL")
        table.sql(
            f"MERGE INTO {{t}} t USING ({SOURCES[source_name]}) u ON t.s = u.s "
            "WHEN MATCHED THEN UPDATE SET id = t.id + 10 * u.id "
            "WHEN NOT MATCHED THEN INSERT (id, s) VALUES (u.id, u.s)"
        )
        return sorted(table.rows("SELECT * FROM {t}"), key=repr)

    with checks_of_plans(spark):
        ours = merged("ours")
    with stock_spark(spark):
        assert ours == merged("stock")


def test_join_accepts_constants_from_parameters_and_dataframes(keys: Table) -> None:
    spark = keys.spark
    query = (
        f"SELECT x.id, c.s IS NULL FROM {keys.name} x "
        "LEFT JOIN (SELECT :name COLLATE UNICODE_CI AS s) c ON x.s = c.s"
    )
    with checks_of_plans(spark):
        found = sorted(tuple(row) for row in spark.sql(query, args={"name": "BOB"}).collect())
    expected = [(number, number not in (1, 2)) for number in range(1, 8)]
    assert found == expected

    people = spark.table(keys.name).select("id", "s")
    constant = spark.range(1).select(F.collate(F.lit("BOB"), "UNICODE_CI").alias("name"))
    joined = people.join(constant, people.s == constant.name, "left")
    with checks_of_plans(spark):
        rows = sorted((row.id, row.name is None) for row in joined.collect())
    assert rows == expected


def test_skipping_conditions_match_stock_spark(spark: SparkSession, tmp_path: Path) -> None:
    # With spark.testing, some methods of Spark throw, such as UTF8String.compareTo.
    table = Table(spark, tmp_path / "names").create("id INT, s STRING COLLATE UTF8_LCASE")
    table.insert("1, 'bob'", "2, 'BOBBY'")
    table.insert("3, 'eve'", "4, NULL")
    conditions = [
        "s LIKE 'BOB%'", "startswith(s, 'Bob')", "s = 'BOB'", "s <=> 'BOB'", "s <> 'EVE'",
        "s IN ('BOB', 'zoe')", "s NOT IN ('bob')", "s BETWEEN 'A' AND 'C'", "s >= 'E'",
        "s IS NULL", "s IS NOT NULL AND NOT s < 'C'",
    ]  # fmt: skip
    assert_matches_stock_spark(
        table, table, [f"SELECT id FROM {{t}} WHERE {each}" for each in conditions]
    )
