# SPDX-License-Identifier: Apache-2.0
"""Queries that stock Spark accepts keep their plans and types."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.mixed_collations import ENABLED, analyzed, removed_hook, rows, views
from support.tables import setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession


@pytest.fixture(scope="module", autouse=True)
def _views(spark: SparkSession) -> Iterator[None]:
    with views(spark):
        yield


ACCEPTED = (
    "SELECT * FROM t WHERE name = 'BOB'",
    "SELECT * FROM t WHERE name IN ('BOB', NULL) OR name <=> 'x'",
    "SELECT * FROM t WHERE name > concat('a', 'b')",
    "SELECT * FROM t WHERE name = CAST(id AS STRING)",
    "SELECT * FROM t JOIN p ON t.name = p.name COLLATE UTF8_BINARY",
    "SELECT * FROM t JOIN p ON t.name COLLATE UTF8_BINARY = p.name",
    "SELECT * FROM t JOIN p ON t.name COLLATE UNICODE = p.name",
    "SELECT * FROM t JOIN p ON t.name IN (p.name COLLATE UTF8_LCASE, 'x')",
    "SELECT * FROM t JOIN p ON t.name = CAST(p.name AS STRING COLLATE UTF8_LCASE)",
    "SELECT * FROM p a JOIN p b ON a.name = b.name AND a.s = b.s",
    "SELECT * FROM t a JOIN q b ON a.name = b.name AND a.a = b.a",
    "SELECT * FROM t a JOIN q b USING (name)",
    "SELECT * FROM t WHERE (name, id) IN (SELECT name, id FROM q)",
    "SELECT concat(t.name, p.name), coalesce(p.name, t.name) FROM t CROSS JOIN p",
    "SELECT if(t.id = 1, p.name, t.name), greatest(t.name, p.name) FROM t CROSS JOIN p",
    "SELECT CASE WHEN t.id = 1 THEN p.name ELSE t.name END FROM t CROSS JOIN p",
    "SELECT array(t.name, p.name), map('k', t.name, 'l', p.name) FROM t CROSS JOIN p",
    "SELECT length(concat(t.name, p.name)) = 3, t.name LIKE p.name FROM t CROSS JOIN p",
    "SELECT t.name || p.name, array_union(t.a, p.a), levenshtein(t.name, p.name) FROM t, p",
    "SELECT struct(t.name, p.name), array_contains(t.a, 'bob') FROM t CROSS JOIN p",
    "SELECT array_contains(p.a, 'bob'), arrays_overlap(p.a, p.a) FROM p",
    "SELECT array_contains(t.a, 'bob'), array_position(t.a, 'x') FROM t",
    "SELECT coalesce(t.name, p.name) FROM t FULL JOIN p ON t.id = p.id",
    "SELECT * FROM p WHERE name BETWEEN 'a' AND 'b' AND nullif(name, 'x') = name",
    "SELECT t.name BETWEEN q.name AND q.name, q.name NOT BETWEEN t.name AND t.name FROM t, q",
    "SELECT p.name BETWEEN t.name COLLATE UNICODE AND 'z' COLLATE UNICODE FROM t, p",
    "SELECT name FROM t UNION SELECT name FROM q",
    "SELECT name, id FROM t UNION ALL SELECT name, CAST(id AS BIGINT) FROM q",
    "SELECT name FROM p EXCEPT SELECT name FROM p",
    "SELECT name COLLATE UTF8_BINARY FROM t UNION SELECT name FROM p",
)


@pytest.mark.parametrize("query", ACCEPTED)
def test_accepted_queries_keep_their_analyzed_plan(spark: SparkSession, query: str) -> None:
    enabled = analyzed(spark, query)

    with setting(spark, ENABLED, "false"):
        assert analyzed(spark, query) == enabled
    with removed_hook(spark):
        assert analyzed(spark, query) == enabled


def test_analyzed_plans_differ_when_a_query_is_changed(spark: SparkSession) -> None:
    changed = analyzed(spark, "SELECT * FROM t JOIN p ON t.name = p.name")

    assert changed != analyzed(spark, "SELECT * FROM t JOIN p ON t.name COLLATE UNICODE = p.name")
    assert "cast(name#" in changed


def test_explicit_utf8_binary_is_compared_in_binary_order(spark: SparkSession) -> None:
    query = "SELECT t.name FROM t JOIN p ON t.name = p.name COLLATE UTF8_BINARY"

    assert rows(spark.sql(query)) == ["Row(name='')"]
