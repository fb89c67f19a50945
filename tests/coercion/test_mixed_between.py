# SPDX-License-Identifier: Apache-2.0
"""`BETWEEN` compares its left operand twice, each time by the collation of the comparison."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from support import platforms
from support.mixed_collations import ENABLED, INDETERMINATE, check, condition, rows, views
from support.tables import setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession


@pytest.fixture(scope="module", autouse=True)
def _views(spark: SparkSession) -> Iterator[None]:
    with views(spark):
        yield


# The operands of BETWEEN. Spark 4.0 and 4.1 accept columns as bounds, and use their collation.
RANGES = (
    ("t.name", "$.name", "$.name"),
    ("$.name", "t.name", "t.name"),
    ("t.name", "'B'", "$.name"),
    ("t.name", "$.name", "'C'"),
    ("t.name", "t.name", "$.name"),
    ("$.name", "$.name", "t.name"),
    ("t.name", "NULL", "$.name"),
    ("t.name", "lower($.name)", "concat($.name, 'x')"),
    ("upper(t.name)", "$.s.a", "$.a[0]"),
    ("t.s.a", "$.s.a", "$.m['k']"),
    ("t.n", "$.n", "$.n"),
    ("t.a", "$.a", "$.a"),
    ("t.name", "coalesce($.name, t.name)", "'z'"),
    ("(SELECT max(name) FROM t)", "$.name", "$.name"),
)

newest = pytest.mark.skipif(platforms.IS_OLDER, reason="Spark accepts or rejects other ranges")


@newest
def test_between_compares_plain_operands_by_collation(spark: SparkSession) -> None:
    conditions = [
        f"{value} {negation}BETWEEN {low} AND {high}"
        for value, low, high in RANGES
        for negation in ("", "NOT ")
    ]
    columns = ", ".join(f"{text} AS c{number}" for number, text in enumerate(conditions))

    check(spark, f"SELECT t.id, $.id, {columns} FROM t CROSS JOIN $")
    with setting(spark, ENABLED, "false"):
        for text in conditions[::2]:
            query = f"SELECT {text.replace('$', 'p')} FROM t CROSS JOIN p"
            assert condition(spark, query) == INDETERMINATE


@newest
@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM t JOIN $ ON t.name BETWEEN $.name AND $.name",
        "SELECT * FROM t LEFT JOIN $ ON t.id = $.id AND $.name BETWEEN t.name AND t.name",
        "SELECT 1 FROM t, $ GROUP BY t.name HAVING t.name BETWEEN min($.name) AND max($.name)",
        "SELECT * FROM t WHERE EXISTS (SELECT 1 FROM $ WHERE t.name BETWEEN $.name AND $.name)",
        "SELECT id FROM t WHERE name BETWEEN (SELECT min(name) FROM $) AND 'c'",
        "SELECT exists(t.a, x -> x BETWEEN $.name AND $.name) FROM t CROSS JOIN $",
        "SELECT (NOT t.name BETWEEN $.name AND 'c') BETWEEN false AND true FROM t CROSS JOIN $",
    ],
)
def test_between_compares_by_collation_in_every_clause(spark: SparkSession, query: str) -> None:
    check(spark, query)


@newest
def test_between_matches_two_comparisons(spark: SparkSession) -> None:
    # Only the first comparison of the last range has a collated operand.
    ranges = [*RANGES, ("$.name", "t.name", "'C'")]
    [between, comparisons] = (
        ", ".join(text.format(*operands) for operands in ranges).replace("$", "p")
        for text in ("{0} BETWEEN {1} AND {2}", "{0} >= {1} AND {0} <= {2}")
    )

    query = "SELECT struct(t.id, p.id, array({})) AS c FROM t CROSS JOIN p"
    assert rows(spark.sql(query.format(between))) == rows(spark.sql(query.format(comparisons)))


@newest
def test_optimized_plan_compares_both_bounds_by_collation(spark: SparkSession) -> None:
    query = spark.sql("SELECT * FROM t JOIN p ON t.name BETWEEN p.name AND p.name")
    plan = query._jdf.queryExecution().optimizedPlan().toString()  # noqa: SLF001

    assert len(re.findall(r"[<>]= cast\(name#\d+ as string collate UTF8_LCASE\)", plan)) == 2


def test_between_with_constants_matches_two_comparisons(spark: SparkSession) -> None:
    """Stock Spark 4.0 and 4.1 reject this."""
    for text in ("t.name BETWEEN 'B' AND 'C'", "t.name NOT BETWEEN :low AND concat(:low, 'z')"):
        low, high = ("'B'", "'C'") if "'C'" in text else ("'B'", "'Bz'")
        negation = "NOT " if "NOT" in text else ""
        expected = f"{negation}(t.name >= {low} AND t.name <= {high})"
        found = rows(spark.sql(f"SELECT id, {text} AS c FROM t", {"low": "B"}))
        assert found == rows(spark.sql(f"SELECT id, {expected} AS c FROM t"))
    assert len(rows(spark.sql("SELECT * FROM t WHERE name BETWEEN 'B' AND 'C'"))) == 2


@pytest.mark.skipif(not platforms.IS_OLDER, reason="newer versions know the collation")
def test_between_is_rejected_if_spark_uses_another_collation_for_a_bound(
    spark: SparkSession,
) -> None:
    for text in ("t.name BETWEEN p.name AND 'C'", "t.name BETWEEN 'B' AND p.name"):
        assert condition(spark, f"SELECT {text} FROM t CROSS JOIN p") == INDETERMINATE
