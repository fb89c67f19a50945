# SPDX-License-Identifier: Apache-2.0
"""Random queries on collated columns answer what their conditions say of each single row."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from support.tables import Table, setting

Row = dict[str, Any]

SHIELD = "spark.deltaCollations.correctness.enabled"

WORDS = ["bob", "BOB", "Bob ", "Åsa", "åsa", "ÅSA", "straße", "日本"]

EQUAL = ["a.name = b.name", "a.name = b.nick", "ltrim(a.nick) = ltrim(b.name)"]
SPELLED = [
    "CAST({0}.name AS STRING) = 'bob'",
    "hex({0}.nick) <> hex('BOB')",
    "length({0}.name) = 3",
    "ascii({0}.nick) < 100",
]
COLLATED = [
    "{0}.name = 'BOB'",
    "{0}.nick <> 'åsa'",
    "{0}.name <= {0}.nick",
    "{0}.nick IN ('Bob', 'ÅSA', 'STRAẞE')",
]


def truth(table: Table, source: str, conditions: list[str]) -> list[Row]:
    """Return every condition of every row, where nothing is filtered and nothing inferred."""
    columns = ", ".join(f"{each} AS `{each}`" for each in conditions)
    ids = "a.id, b.id AS other" if " b" in source else "a.id"
    found = table.sql(f"SELECT {ids}, {columns} FROM {source}")
    return [row.asDict() for row in found.collect()]


def holds(asked: str) -> Callable[[Row], bool]:
    return lambda row: all(row[part] for part in asked.split(" AND "))


@pytest.mark.parametrize("collation", ["UTF8_LCASE", "UNICODE_CI_RTRIM"])
def test_random_queries_answer_what_their_conditions_say_of_each_row(
    spark: SparkSession, tmp_path: Path, collation: str
) -> None:
    chance = random.Random(20261116)  # noqa: S311
    table = Table(spark, tmp_path / "words")
    table.create(f"id INT, name STRING COLLATE {collation}, nick STRING COLLATE {collation}")
    words = [None if chance.random() < 0.05 else chance.choice(WORDS) for _ in range(60)]
    quoted = ["NULL" if word is None else f"'{word}'" for word in words]
    table.insert(*(f"{n}, {quoted[n]}, {quoted[n + 30]}" for n in range(30)))

    of_a = [each.format("a") for each in SPELLED + COLLATED]
    of_b = [each.format("b") for each in SPELLED + COLLATED]
    singles = truth(table, "{t} a", ["a.name = a.nick", *of_a])
    pairs = truth(table, "{t} a CROSS JOIN {t} b", EQUAL + of_a + of_b)

    expected: dict[str, list[Any]] = {}
    for spelled in chance.sample(SPELLED, k=2):
        alone = " AND ".join(["a.name = a.nick", spelled.format("a"), chance.choice(of_a)])
        asked = f"SELECT a.id FROM {{t}} a WHERE {alone}"
        expected[asked] = [(row["id"],) for row in singles if holds(alone)(row)]

        both = " AND ".join([chance.choice(EQUAL), spelled.format("a"), chance.choice(of_b)])
        matched = [(row["id"], row["other"]) for row in pairs if holds(both)(row)]
        asked = f"SELECT a.id, b.id FROM {{t}} a, {{t}} b WHERE {both}"
        expected[asked] = matched
        asked = f"SELECT a.id FROM {{t}} a WHERE EXISTS (SELECT 1 FROM {{t}} b WHERE {both})"
        expected[asked] = list({(left,) for left, _ in matched})
        asked = f"SELECT a.id, (SELECT count(*) FROM {{t}} b WHERE {both}) FROM {{t}} a"
        counts = dict.fromkeys((row["id"] for row in singles), 0)
        for left, _ in matched:
            counts[left] += 1
        expected[asked] = list(counts.items())

    def is_wrong(asked: str) -> bool:
        return sorted(table.rows(asked)) != sorted(expected[asked])

    assert [asked for asked in expected if is_wrong(asked)] == []
    with setting(spark, SHIELD, "false"):
        assert any(map(is_wrong, expected))
