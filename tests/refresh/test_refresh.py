# SPDX-License-Identifier: Apache-2.0
"""``ANALYZE TABLE … COMPUTE DELTA STATISTICS`` adds missing bounds of collated columns."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.refresh import (
    COLLATED,
    NOTHING_REFRESHED,
    collated_bounds,
    commit_count,
    current_stats_key,
    fields_refresh_keeps,
    insert_one_file,
    refresh,
    without_collated_stats,
)
from support.tables import ForeignTable, Json, Table, collated, field

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def test_refresh_adds_bounds_and_changes_nothing_else(table: Table) -> None:
    with without_collated_stats(
        table.create(f"id INT, {COLLATED}", **{"delta.enableRowTracking": "true"})
    ):
        insert_one_file(table, "1, 'bob'", "2, 'Åsa'").insert("3, 'Zoë'")
    before, rows = table.log.files, sorted(table.rows())
    assert collated_bounds(table, "name") == [(None, None)] * 2

    size = sum(add["size"] for add in before.values())
    done = refresh(table)
    assert done == {
        **NOTHING_REFRESHED,
        "files_checked": 2,
        "files_refreshed": 2,
        "bytes_read": size,
    }

    assert collated_bounds(table, "name") == [("Zoë", "Zoë"), ("Åsa", "bob")]
    after = table.log.files
    assert fields_refresh_keeps(after) == fields_refresh_keeps(before)
    assert {add["dataChange"] for add in after.values()} == {False}
    assert all("baseRowId" in add for add in after.values())
    for path, add in after.items():
        old = before[path]["stats"]
        assert {key: add["stats"][key] for key in ("numRecords", "nullCount")} == {
            key: old[key] for key in ("numRecords", "nullCount")
        }
        assert add["stats"]["minValues"]["id"] == old["minValues"]["id"]
        assert "name" in add["stats"]["minValues"], "binary bounds are added too"
    kinds = [kind for action in table.log.commits[-1] for kind in action]
    assert sorted(kinds) == ["add", "add", "commitInfo", "domainMetadata"], "the version is listed"
    assert sorted(table.rows()) == rows


def test_analyze_collects_stats_when_stats_on_write_are_disabled(table: Table) -> None:
    with without_collated_stats(table.create(COLLATED).insert("'in'")):
        table.insert("'out'")
        assert refresh(table)["files_refreshed"] == 1
    assert collated_bounds(table, "name") == [("in", "in"), ("out", "out")]


def test_second_refresh_reads_and_commits_nothing(table: Table) -> None:
    with without_collated_stats(table.create(f"id INT, {COLLATED}")):
        insert_one_file(table.insert("1, 'Bob'").insert("2, NULL"), "3, NULL", "4, 'Eve'")
    refresh(table)
    commits = commit_count(table)

    assert refresh(table) == {"files_checked": 3} | NOTHING_REFRESHED
    assert commit_count(table) == commits


def test_refresh_reads_files_older_than_added_column_once(table: Table) -> None:
    table.create("id INT").insert("1")
    table.sql(f"ALTER TABLE {{t}} ADD COLUMN {COLLATED}")
    table.insert("2, 'Bob'")

    assert refresh(table)["files_refreshed"] == 1
    assert sorted(add["stats"]["nullCount"]["name"] for add in table.log.files.values()) == [0, 1]
    assert refresh(table) == {"files_checked": 2} | NOTHING_REFRESHED


def test_refresh_adds_bounds_of_changed_collation(table: Table) -> None:
    insert_one_file(table.create("name STRING COLLATE UTF8_LCASE"), "'a'", "'É'", "'z'")
    [before] = table.log.files.values()
    table.sql("ALTER TABLE {t} ALTER COLUMN name TYPE STRING COLLATE UNICODE_CI")

    assert refresh(table)["files_refreshed"] == 1
    assert collated_bounds(table, "name") == [("a", "z")]
    [after] = table.log.files.values()
    assert (
        before["stats"]["statsWithCollation"].items()
        <= after["stats"]["statsWithCollation"].items()
    ), "bounds of the old collation are kept"


def test_refresh_reads_only_files_without_bounds(table: Table) -> None:
    table.create(f"id INT, {COLLATED}").insert("1, 'covered'")
    [file_with_bounds] = table.log.files
    with without_collated_stats(table):
        table.insert("2, 'bare'")
    (table.path / file_with_bounds).unlink()

    assert refresh(table)["files_refreshed"] == 1
    assert collated_bounds(table, "name") == [("bare", "bare"), ("covered", "covered")]


def test_refresh_reads_only_collated_columns(table: Table) -> None:
    with without_collated_stats(table.create(f"id INT, {COLLATED}")):
        table.insert("1, 'Bob'")
    [path] = table.log.files
    pq.write_table(pa.table({"id": ["no number"], "name": ["Bob"]}), table.path / path)
    (table.path / f".{path}.crc").unlink()

    with pytest.raises(Exception, match="id"):
        table.rows()
    assert refresh(table)["files_refreshed"] == 1


@pytest.mark.parametrize("case", ["another version", "none", "corrupt", "no counts"])
def test_refresh_keeps_stats_of_other_writers(
    spark: SparkSession, tmp_path: Path, case: str
) -> None:
    bounds = {"minValues": {"name": "Anna\u00e9"}, "maxValues": {"name": "Zoe", "x": 1.50}}
    foreign: Json = {"icu.UNICODE_CI.75.1": bounds, "acme.KLINGON.1": {"minValues": {}}}
    written: dict[str, Json] = {
        "another version": {
            "numRecords": 3,
            "minValues": {"id": 0},
            "nullCount": {"id": 0, "name": 1},
            "statsWithCollation": foreign,
            "acme": [1, {"x": None}],
        },
        "no counts": {"statsWithCollation": foreign},
    }
    stats = written.get(case)
    path = ForeignTable(
        tmp_path / "table",
        [field("id", "integer"), collated("name", "icu.UNICODE_CI")],
        ["collations", "domainMetadata"],
    ).write(({"id": pa.array([1, 2, 3], pa.int32()), "name": ["b", None, "A"]}, stats))
    if case == "corrupt":
        log = path / "_delta_log" / f"{0:020}.json"
        log.write_text(log.read_text().replace('"dataChange"', '"stats": "{broken", "dataChange"'))
    table = Table(spark, path)

    assert refresh(table)["files_refreshed"] == 1
    [add] = table.log.files.values()
    own = {current_stats_key(table): {"minValues": {"name": "A"}, "maxValues": {"name": "b"}}}
    expected = own | foreign if stats else own
    assert add["stats"].pop("statsWithCollation") == expected
    if case == "another version":
        assert stats is not None
        # Keys of other ICU versions and unknown collations are kept byte for byte.
        verbatim = json.dumps(foreign, ensure_ascii=False, separators=(",", ":"))[1:-1]
        assert verbatim in table.log.actions("add")[-1]["stats"]
        assert add["stats"]["minValues"] == {"id": 0, "name": "A"}
        assert add["stats"]["nullCount"] == {"id": 0, "name": 1}
        assert add["stats"]["acme"] == stats["acme"]
    else:
        assert add["stats"] == {
            "numRecords": 3,
            "minValues": {"id": 1, "name": "A"},
            "maxValues": {"id": 3, "name": "b"},
            "nullCount": {"id": 0, "name": 1},
        }
    assert sorted(table.column("SELECT id FROM {t} WHERE name = 'a'")) == [3]
    assert refresh(table) == {"files_checked": 1} | NOTHING_REFRESHED


def test_refresh_reads_empty_file_once(spark: SparkSession, tmp_path: Path) -> None:
    schema = [collated("name", "icu.UNICODE_CI")]
    foreign = ForeignTable(tmp_path / "table", schema, ["collations", "domainMetadata"])
    table = Table(spark, foreign.write(({"name": pa.array([], pa.string())}, None)))
    [before] = table.log.files.values()

    done = refresh(table)
    read = before["size"]
    assert done == {
        **NOTHING_REFRESHED,
        "files_checked": 1,
        "files_refreshed": 1,
        "bytes_read": read,
    }
    assert [add["stats"] for add in table.log.files.values()] == [{"numRecords": 0}]
    assert refresh(table) == {"files_checked": 1} | NOTHING_REFRESHED


def test_refresh_ignores_deleted_rows_and_keeps_deletion_vectors(table: Table) -> None:
    table.create(f"id INT, {COLLATED}", **{"delta.enableDeletionVectors": "true"})
    with without_collated_stats(table):
        insert_one_file(table, "1, 'Åsa'", "2, 'bob'", "3, 'Zoë'", "4, 'Éva'")
        table.sql("DELETE FROM {t} WHERE id IN (1, 3)")
    [before] = table.log.files.values()
    assert before["deletionVector"]["cardinality"] == 2

    assert refresh(table)["files_refreshed"] == 1
    [after] = table.log.files.values()
    assert collated_bounds(table, "name") == [("bob", "Éva")]
    assert after["deletionVector"] == before["deletionVector"]
    assert (after["stats"]["numRecords"], after["stats"]["tightBounds"]) == (4, False)
    assert sorted(table.column("SELECT id FROM {t}")) == [2, 4]
    assert refresh(table) == {"files_checked": 1} | NOTHING_REFRESHED


def test_refresh_finds_files_in_escaped_partition_directories(table: Table) -> None:
    table.sql(f"CREATE TABLE {{t}} (city STRING, {COLLATED}) USING delta PARTITIONED BY (city)")
    with without_collated_stats(table):
        table.insert("'a b%20/c:é#?', 'Bob'", "'=&+', 'Eve'", "NULL, 'Zoë'")

    assert refresh(table)["files_refreshed"] == 3
    assert collated_bounds(table, "name") == [("Bob", "Bob"), ("Eve", "Eve"), ("Zoë", "Zoë")]
    assert table.column("SELECT city FROM {t} WHERE name = 'BOB'") == ["a b%20/c:é#?"]


@pytest.mark.parametrize("mode", ["name", "id"])
def test_refresh_uses_physical_column_names(table: Table, mode: str) -> None:
    columns = f"id INT, {COLLATED}, home STRUCT<city: STRING COLLATE UNICODE_CI, `a.b`: INT>"
    with without_collated_stats(table.create(columns, **{"delta.columnMapping.mode": mode})):
        table.insert("1, 'Bob', named_struct('city', 'Oslo', 'a.b', 1)")
    table.sql("ALTER TABLE {t} RENAME COLUMN name TO `who, then`")
    table.sql("ALTER TABLE {t} RENAME COLUMN home.city TO town")

    def physical(*path: str) -> str:
        return str(table.log.field(*path)["metadata"]["delta.columnMapping.physicalName"])

    assert refresh(table)["files_refreshed"] == 1
    assert collated_bounds(table, physical("who, then")) == [("Bob", "Bob")]
    assert collated_bounds(table, physical("home"), physical("home", "town")) == [("Oslo", "Oslo")]
    assert refresh(table) == {"files_checked": 1} | NOTHING_REFRESHED


def test_refresh_handles_columns_named_like_file_metadata(table: Table) -> None:
    columns = "path STRING COLLATE UNICODE_CI, _metadata STRUCT<file_path: INT>"
    with without_collated_stats(table.create(columns)):
        table.insert("'Bob', NULL")

    assert refresh(table)["files_refreshed"] == 1
    assert collated_bounds(table, "path") == [("Bob", "Bob")]


def test_refresh_omits_columns_without_stats(table: Table) -> None:
    table.create(
        "id INT, name STRING COLLATE UNICODE_CI, rest STRING COLLATE UNICODE_CI",
        **{"delta.dataSkippingStatsColumns": "id,name"},
    )
    with without_collated_stats(table):
        table.insert("1, 'Bob', 'Eve'")

    assert refresh(table)["files_refreshed"] == 1
    assert collated_bounds(table, "rest") == [(None, None)]
    assert refresh(table) == {"files_checked": 1} | NOTHING_REFRESHED


def test_refresh_commits_nothing_without_collated_columns(table: Table) -> None:
    table.create("id INT, name STRING").insert("1, 'Bob'")
    commits = commit_count(table)

    assert refresh(table) == {"files_checked": 1} | NOTHING_REFRESHED
    assert commit_count(table) == commits


def test_refresh_of_shallow_clone_leaves_source_unchanged(table: Table) -> None:
    with without_collated_stats(table.create(f"id INT, {COLLATED}")):
        table.insert("1, 'Bob'").insert("2, 'Eve'")
    clone = Table(table.spark, table.path.parent / "a clone")
    clone.sql(f"CREATE TABLE {{t}} SHALLOW CLONE {table.name}")

    assert refresh(clone)["files_refreshed"] == 2
    assert collated_bounds(clone, "name") == [("Bob", "Bob"), ("Eve", "Eve")]
    assert collated_bounds(table, "name") == [(None, None)] * 2
    assert sorted(clone.rows()) == [(1, "Bob"), (2, "Eve")]


def test_refresh_invisible_to_time_travel_streams_and_change_feed(table: Table) -> None:
    table.create(f"id INT, {COLLATED}", **{"delta.enableChangeDataFeed": "true"})
    with without_collated_stats(table):
        table.insert("1, 'Bob'")
    refresh(table)
    changes = table.spark.read.option("readChangeFeed", "true").option("startingVersion", 2)
    stream = table.spark.readStream.option("startingVersion", 2).format("delta")
    sink = stream.load(str(table.path)).writeStream.format("memory").queryName("streamed")
    sink.trigger(availableNow=True).start().awaitTermination()

    assert table.rows("SELECT * FROM {t} VERSION AS OF 1") == [(1, "Bob")]
    assert changes.format("delta").load(str(table.path)).collect() == []
    assert table.spark.table("streamed").collect() == []
    table.spark.catalog.dropTempView("streamed")


def test_analyze_accepts_catalog_table_names(spark: SparkSession) -> None:
    spark.sql("CREATE SCHEMA IF NOT EXISTS refreshing")
    try:
        spark.sql(f"CREATE TABLE refreshing.`select` ({COLLATED}) USING delta")
        for name in ("refreshing.`select`", "spark_catalog.refreshing.`SELECT`"):
            done = spark.sql(f"analyze /* now */ table {name}\ncompute delta statistics;")
            assert done.columns == [
                "files_checked",
                "files_refreshed",
                "bytes_read",
                "files_relabeled",
            ]
            assert done.dtypes == [(column, "bigint") for column in done.columns]
            assert [tuple(row) for row in done.collect()] == [(0, 0, 0, 0)]
        by_expression = "IDENTIFIER('refreshing.' || '`select`')"
        assert spark.sql(f"ANALYZE TABLE {by_expression} COMPUTE DELTA STATISTICS").count() == 1
    finally:
        spark.sql("DROP SCHEMA refreshing CASCADE")


def test_analyze_rejects_views_other_formats_and_unknown_options(spark: SparkSession) -> None:
    def assert_rejected(statement: str, condition: str) -> None:
        with pytest.raises(Exception, match=condition) as failure:
            spark.sql(statement)
        assert "COMPUTE DELTA STATISTICS" in str(failure.value)

    spark.sql("CREATE TEMPORARY VIEW passing AS SELECT 1")
    spark.sql("CREATE VIEW staying AS SELECT 1 AS one")
    spark.sql("CREATE TABLE files (name STRING) USING parquet")
    try:
        for view in ("passing", "staying"):
            assert_rejected(
                f"ANALYZE TABLE {view} COMPUTE DELTA STATISTICS", "EXPECT_TABLE_NOT_VIEW"
            )
        assert_rejected("ANALYZE TABLE files COMPUTE DELTA STATISTICS", "DELTA_ONLY_OPERATION")
        assert_rejected("ANALYZE TABLE nowhere COMPUTE DELTA STATISTICS", "TABLE_OR_VIEW_NOT_FOUND")
        assert_rejected("ANALYZE TABLE files COMPUTE DELTA STATISTICS NOSCAN", "PARSE_SYNTAX_ERROR")
        spark.sql("ANALYZE TABLE files COMPUTE STATISTICS")
    finally:
        for relation in ("VIEW passing", "VIEW staying", "TABLE files"):
            spark.sql(f"DROP {relation}")
