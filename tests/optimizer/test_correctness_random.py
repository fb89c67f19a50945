# SPDX-License-Identifier: Apache-2.0
"""Random queries on collated columns match their conditions evaluated row by row."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from support.tables import Table, setting

Row = dict[str, Any]

CORRECTNESS_ENABLED = "spark.deltaCollations.correctness.enabled"

WORDS = ["bob", "BOB", "Bob ", "Åsa", "åsa", "ÅSA", "straße", "日本"]

JOIN_CONDITIONS = ["a.name = b.name", "a.name = b.nick", "ltrim(a.nick) = ltrim(b.name)"]
BINARY_CONDITIONS = [
    "CAST({0}.name AS STRING) = 'bob'",
    "hex({0}.nick) <> hex('BOB')",
    "length({0}.name) = 3",
    "ascii({0}.nick) < 100",
]
COLLATED_CONDITIONS = [
    "{0}.name = 'BOB'",
    "{0}.nick <> 'åsa'",
    "{0}.name <= {0}.nick",
    "{0}.nick IN ('Bob', 'ÅSA', 'STRAẞE')",
]


def evaluate_conditions(table: Table, source: str, conditions: list[str]) -> list[Row]:
    """Evaluate all conditions for every row, without filters that Spark could infer others from."""
    columns = ", ".join(f"{condition} AS `{condition}`" for condition in conditions)
    ids = "a.id, b.id AS other" if " b" in source else "a.id"
    found = table.sql(f"SELECT {ids}, {columns} FROM {source}")
    return [row.asDict() for row in found.collect()]


def all_hold(conjunction: str) -> Callable[[Row], bool]:
    return lambda row: all(row[part] for part in conjunction.split(" AND "))


@pytest.mark.parametrize("collation", ["UTF8_LCASE", "UNICODE_CI_RTRIM"])
def test_random_queries_match_conditions_evaluated_per_row(
    spark: SparkSession, tmp_path: Path, collation: str
) -> None:
    chance = random.Random(20261116)  # noqa: S311
    table = Table(spark, tmp_path / "words")
    table.create(f"id INT, name STRING COLLATE {collation}, nick STRING COLLATE {collation}")
    words = [None if chance.random() < 0.05 else chance.choice(WORDS) for _ in range(60)]
    quoted = ["NULL" if word is None else f"'{word}'" for word in words]
    table.insert(*(f"{n}, {quoted[n]}, {quoted[n + 30]}" for n in range(30)))

    conditions_on_a = [each.format("a") for each in BINARY_CONDITIONS + COLLATED_CONDITIONS]
    conditions_on_b = [each.format("b") for each in BINARY_CONDITIONS + COLLATED_CONDITIONS]
    rows = evaluate_conditions(table, "{t} a", ["a.name = a.nick", *conditions_on_a])
    row_pairs = evaluate_conditions(
        table, "{t} a CROSS JOIN {t} b", JOIN_CONDITIONS + conditions_on_a + conditions_on_b
    )

    expected: dict[str, list[Any]] = {}
    for binary in chance.sample(BINARY_CONDITIONS, k=2):
        alone = " AND ".join(
            ["a.name = a.nick", binary.format("a"), chance.choice(conditions_on_a)]
        )
        query = f"SELECT a.id FROM {{t}} a WHERE {alone}"
        expected[query] = [(row["id"],) for row in rows if all_hold(alone)(row)]

        both = " AND ".join(
            [chance.choice(JOIN_CONDITIONS), binary.format("a"), chance.choice(conditions_on_b)]
        )
        matched = [(row["id"], row["other"]) for row in row_pairs if all_hold(both)(row)]
        query = f"SELECT a.id, b.id FROM {{t}} a, {{t}} b WHERE {both}"
        expected[query] = matched
        query = f"SELECT a.id FROM {{t}} a WHERE EXISTS (SELECT 1 FROM {{t}} b WHERE {both})"
        expected[query] = list({(left,) for left, _ in matched})
        query = f"SELECT a.id, (SELECT count(*) FROM {{t}} b WHERE {both}) FROM {{t}} a"
        counts = dict.fromkeys((row["id"] for row in rows), 0)
        for left, _ in matched:
            counts[left] += 1
        expected[query] = list(counts.items())

    def is_wrong(query: str) -> bool:
        return sorted(table.rows(query)) != sorted(expected[query])

    assert [query for query in expected if is_wrong(query)] == []
    with setting(spark, CORRECTNESS_ENABLED, "false"):
        assert any(map(is_wrong, expected))
