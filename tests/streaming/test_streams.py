# SPDX-License-Identifier: Apache-2.0
"""Streams that read and write collated tables compare strings by collation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F  # noqa: N812
from support.streams import run_stream, stream_of
from support.tables import Table

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

COLUMNS = """id INT, name STRING COLLATE UNICODE_CI, s STRUCT<f: STRING COLLATE UTF8_LCASE>,
    a ARRAY<STRING COLLATE UNICODE_CI_AI>, plain STRING"""
NAMES = ["bob", "BOB", "Bob", "zoe", "ZOÉ", "Ann"]


@pytest.fixture(scope="module")
def people(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Table:
    """Return a table with three commits of two names, which tests must not change."""
    table = Table(spark, tmp_path_factory.mktemp("streams") / "people").create(COLUMNS)
    for first in range(0, len(NAMES), 2):
        rows = (
            f"{n}, '{NAMES[n]}', named_struct('f', '{NAMES[n]}'), array('{NAMES[n]}'), '{NAMES[n]}'"
            for n in (first, first + 1)
        )
        table.insert(*rows)
    return table


def test_filters_of_stream_compare_by_collation(people: Table, tmp_path: Path) -> None:
    predicates = {
        "name = 'BOB'": {0, 1, 2},
        "name <> 'BOB'": {3, 4, 5},
        "name < 'C'": {0, 1, 2, 5},
        "name IN ('ANN', 'zoE')": {3, 5},
        "startswith(name, 'B')": {0, 1, 2},
        "s.f = 'BOB'": {0, 1, 2},
        "s.f LIKE 'BO%'": {0, 1, 2},
        "array_contains(a, 'zoe' COLLATE UNICODE_CI_AI)": {3, 4},
        "plain = 'BOB'": {1},
        "plain COLLATE UTF8_LCASE = 'BOB'": {0, 1, 2},
    }
    columns = [F.expr(each).alias(str(number)) for number, each in enumerate(predicates)]
    rows = run_stream(stream_of(people).select("id", *columns), tmp_path / "evaluated")
    assert {
        each: {row.id for row in rows if row[number + 1]} for number, each in enumerate(predicates)
    } == predicates
    where = "name = 'BOB' AND name < 'C' AND s.f LIKE 'BO%' AND array_contains(a, 'BÓB')"
    filtered = run_stream(stream_of(people, where), tmp_path / "filtered")
    assert {row.id for row in filtered} == {0, 1, 2}


def test_stream_joins_table_by_collation(people: Table, tmp_path: Path) -> None:
    other = Table(people.spark, tmp_path / "other").create("key STRING COLLATE UNICODE_CI, n INT")
    other.insert("'BoB', 1", "'ZOE', 2")
    static = people.spark.table(other.name)
    stream = stream_of(people)
    joined = stream.join(static, stream["name"] == static["key"]).select("id", "n")
    rows = run_stream(joined, tmp_path / "progress")
    assert {(row.id, row.n) for row in rows} == {(0, 1), (1, 1), (2, 1), (3, 2)}


def test_stream_merges_batches_by_collation(people: Table, tmp_path: Path) -> None:
    target = Table(people.spark, tmp_path / "target")
    target.create("name STRING COLLATE UNICODE_CI, n BIGINT").insert("'ANN', 10")

    def merge(batch: DataFrame, number: int) -> None:
        del number
        batch.groupBy("name").count().createOrReplaceTempView("batch")
        batch.sparkSession.sql(
            f"MERGE INTO {target.name} t USING batch s ON t.name = s.name "
            "WHEN MATCHED THEN UPDATE SET n = t.n + s.count "
            "WHEN NOT MATCHED THEN INSERT (name, n) VALUES (s.name, s.count)"
        )

    # With this limit, there are at least two batches.
    writer = stream_of(people, maxFilesPerTrigger="2").writeStream.foreachBatch(merge)
    writer = writer.option("checkpointLocation", str(tmp_path / "progress"))
    writer.trigger(availableNow=True).start().awaitTermination()
    query = "SELECT lower(name COLLATE UTF8_BINARY), n FROM {t}"
    assert sorted(target.rows(query)) == [("ann", 11), ("bob", 3), ("zoe", 1), ("zoé", 1)]


def test_stream_reads_changes_by_collation(table: Table, tmp_path: Path) -> None:
    table.create("id INT, name STRING COLLATE UNICODE_CI", **{"delta.enableChangeDataFeed": "true"})
    table.insert("1, 'bob'", "2, 'BOB'", "3, 'ann'", "4, 'zoe'")
    table.sql("UPDATE {t} SET id = id + 10 WHERE name = 'Bob'")
    table.sql("DELETE FROM {t} WHERE name = 'ANN'")
    options = {"readChangeFeed": "true", "startingVersion": "2"}
    rows = run_stream(stream_of(table, "name IN ('BOB', 'ANN')", **options), tmp_path / "progress")
    assert sorted((row._change_type, row.id) for row in rows) == [  # noqa: SLF001
        ("delete", 3),
        ("update_postimage", 11),
        ("update_postimage", 12),
        ("update_preimage", 1),
        ("update_preimage", 2),
    ]


def test_stream_starts_at_version_and_limits_files(people: Table, tmp_path: Path) -> None:
    options = {"startingVersion": "2", "maxFilesPerTrigger": "1"}
    batches: list[set[int]] = []
    writer = stream_of(people, "name <> 'ANN'", **options).writeStream.foreachBatch(
        lambda batch, _: batches.append({row.id for row in batch.collect()})
    )
    writer = writer.option("checkpointLocation", str(tmp_path / "progress"))
    writer.trigger(availableNow=True).start().awaitTermination()
    assert set().union(*batches) == {2, 3, 4}
    assert len(batches) >= 2
