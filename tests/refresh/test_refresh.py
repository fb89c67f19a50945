# SPDX-License-Identifier: Apache-2.0
"""``ANALYZE TABLE … COMPUTE DELTA STATISTICS`` gives files the bounds that they lack."""

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


def test_files_written_without_bounds_get_them_and_nothing_else_changes(table: Table) -> None:
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
        kept = before[path]["stats"]
        assert {key: add["stats"][key] for key in ("numRecords", "nullCount")} == {
            key: kept[key] for key in ("numRecords", "nullCount")
        }
        assert add["stats"]["minValues"]["id"] == kept["minValues"]["id"]
        assert "name" in add["stats"]["minValues"], "bounds in the order of bytes come too"
    kinds = [kind for action in table.log.commits[-1] for kind in action]
    assert sorted(kinds) == ["add", "add", "commitInfo", "domainMetadata"], "and lists the version"
    assert sorted(table.rows()) == rows


def test_the_switch_for_writes_does_not_hold_the_statement_back(table: Table) -> None:
    with without_collated_stats(table.create(COLLATED).insert("'in'")):
        table.insert("'out'")
        assert refresh(table)["files_refreshed"] == 1
    assert collated_bounds(table, "name") == [("in", "in"), ("out", "out")]


def test_a_second_run_reads_nothing_and_commits_nothing(table: Table) -> None:
    with without_collated_stats(table.create(f"id INT, {COLLATED}")):
        insert_one_file(table.insert("1, 'Bob'").insert("2, NULL"), "3, NULL", "4, 'Eve'")
    refresh(table)
    commits = commit_count(table)

    assert refresh(table) == {"files_checked": 3} | NOTHING_REFRESHED
    assert commit_count(table) == commits


def test_files_from_before_a_column_was_added_are_read_once(table: Table) -> None:
    table.create("id INT").insert("1")
    table.sql(f"ALTER TABLE {{t}} ADD COLUMN {COLLATED}")
    table.insert("2, 'Bob'")

    assert refresh(table)["files_refreshed"] == 1
    assert sorted(add["stats"]["nullCount"]["name"] for add in table.log.files.values()) == [0, 1]
    assert refresh(table) == {"files_checked": 2} | NOTHING_REFRESHED


def test_after_a_change_of_collation_files_get_bounds_of_the_new_one(table: Table) -> None:
    insert_one_file(table.create("name STRING COLLATE UTF8_LCASE"), "'a'", "'É'", "'z'")
    [before] = table.log.files.values()
    table.sql("ALTER TABLE {t} ALTER COLUMN name TYPE STRING COLLATE UNICODE_CI")

    assert refresh(table)["files_refreshed"] == 1
    assert collated_bounds(table, "name") == [("a", "z")]
    [after] = table.log.files.values()
    assert (
        before["stats"]["statsWithCollation"].items()
        <= after["stats"]["statsWithCollation"].items()
    ), "what was known under the old collation stays true"


def test_only_files_that_lack_bounds_are_read(table: Table) -> None:
    table.create(f"id INT, {COLLATED}").insert("1, 'covered'")
    [covered] = table.log.files
    with without_collated_stats(table):
        table.insert("2, 'bare'")
    (table.path / covered).unlink()

    assert refresh(table)["files_refreshed"] == 1
    assert collated_bounds(table, "name") == [("bare", "bare"), ("covered", "covered")]


def test_only_the_collated_columns_of_a_file_are_read(table: Table) -> None:
    with without_collated_stats(table.create(f"id INT, {COLLATED}")):
        table.insert("1, 'Bob'")
    [path] = table.log.files
    pq.write_table(pa.table({"id": ["no number"], "name": ["Bob"]}), table.path / path)
    (table.path / f".{path}.crc").unlink()

    with pytest.raises(Exception, match="id"):
        table.rows()
    assert refresh(table)["files_refreshed"] == 1


@pytest.mark.parametrize("what", ["another version", "none", "damaged", "no counts"])
def test_files_of_other_writers_keep_what_they_know(
    spark: SparkSession, tmp_path: Path, what: str
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
    stats = written.get(what)
    path = ForeignTable(
        tmp_path / "table",
        [field("id", "integer"), collated("name", "icu.UNICODE_CI")],
        ["collations", "domainMetadata"],
    ).write(({"id": pa.array([1, 2, 3], pa.int32()), "name": ["b", None, "A"]}, stats))
    if what == "damaged":
        log = path / "_delta_log" / f"{0:020}.json"
        log.write_text(log.read_text().replace('"dataChange"', '"stats": "{broken", "dataChange"'))
    table = Table(spark, path)

    assert refresh(table)["files_refreshed"] == 1
    [add] = table.log.files.values()
    own = {current_stats_key(table): {"minValues": {"name": "A"}, "maxValues": {"name": "b"}}}
    expected = own | foreign if stats else own
    assert add["stats"].pop("statsWithCollation") == expected
    if what == "another version":
        assert stats is not None
        # Letter by letter: an older key is somebody else's, and so is all that nobody here knows.
        words = json.dumps(foreign, ensure_ascii=False, separators=(",", ":"))[1:-1]
        assert words in table.log.actions("add")[-1]["stats"]
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


def test_a_file_without_rows_is_read_once(spark: SparkSession, tmp_path: Path) -> None:
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


def test_deleted_rows_are_not_counted_and_deletion_vectors_stay(table: Table) -> None:
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


def test_partitions_and_odd_names_of_folders_are_found(table: Table) -> None:
    table.sql(f"CREATE TABLE {{t}} (city STRING, {COLLATED}) USING delta PARTITIONED BY (city)")
    with without_collated_stats(table):
        table.insert("'a b%20/c:é#?', 'Bob'", "'=&+', 'Eve'", "NULL, 'Zoë'")

    assert refresh(table)["files_refreshed"] == 3
    assert collated_bounds(table, "name") == [("Bob", "Bob"), ("Eve", "Eve"), ("Zoë", "Zoë")]
    assert table.column("SELECT city FROM {t} WHERE name = 'BOB'") == ["a b%20/c:é#?"]


@pytest.mark.parametrize("mode", ["name", "id"])
def test_bounds_are_named_as_the_files_name_the_columns(table: Table, mode: str) -> None:
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


def test_columns_named_like_what_spark_knows_of_files_are_no_trouble(table: Table) -> None:
    columns = "path STRING COLLATE UNICODE_CI, _metadata STRUCT<file_path: INT>"
    with without_collated_stats(table.create(columns)):
        table.insert("'Bob', NULL")

    assert refresh(table)["files_refreshed"] == 1
    assert collated_bounds(table, "path") == [("Bob", "Bob")]


def test_columns_that_have_no_statistics_are_not_asked_for(table: Table) -> None:
    table.create(
        "id INT, name STRING COLLATE UNICODE_CI, rest STRING COLLATE UNICODE_CI",
        **{"delta.dataSkippingStatsColumns": "id,name"},
    )
    with without_collated_stats(table):
        table.insert("1, 'Bob', 'Eve'")

    assert refresh(table)["files_refreshed"] == 1
    assert collated_bounds(table, "rest") == [(None, None)]
    assert refresh(table) == {"files_checked": 1} | NOTHING_REFRESHED


def test_a_table_without_a_collated_column_is_left_alone(table: Table) -> None:
    table.create("id INT, name STRING").insert("1, 'Bob'")
    commits = commit_count(table)

    assert refresh(table) == {"files_checked": 1} | NOTHING_REFRESHED
    assert commit_count(table) == commits


def test_a_shallow_clone_gets_bounds_and_its_source_does_not(table: Table) -> None:
    with without_collated_stats(table.create(f"id INT, {COLLATED}")):
        table.insert("1, 'Bob'").insert("2, 'Eve'")
    clone = Table(table.spark, table.path.parent / "a clone")
    clone.sql(f"CREATE TABLE {{t}} SHALLOW CLONE {table.name}")

    assert refresh(clone)["files_refreshed"] == 2
    assert collated_bounds(clone, "name") == [("Bob", "Bob"), ("Eve", "Eve")]
    assert collated_bounds(table, "name") == [(None, None)] * 2
    assert sorted(clone.rows()) == [(1, "Bob"), (2, "Eve")]


def test_older_versions_and_streams_and_the_change_feed_see_no_change(table: Table) -> None:
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


def test_the_statement_takes_names_of_the_catalog_in_any_spelling(spark: SparkSession) -> None:
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


def test_views_other_tables_and_other_wishes_are_refused(spark: SparkSession) -> None:
    def refused(statement: str, condition: str) -> None:
        with pytest.raises(Exception, match=condition) as failure:
            spark.sql(statement)
        assert "COMPUTE DELTA STATISTICS" in str(failure.value)

    spark.sql("CREATE TEMPORARY VIEW passing AS SELECT 1")
    spark.sql("CREATE VIEW staying AS SELECT 1 AS one")
    spark.sql("CREATE TABLE files (name STRING) USING parquet")
    try:
        for view in ("passing", "staying"):
            refused(f"ANALYZE TABLE {view} COMPUTE DELTA STATISTICS", "EXPECT_TABLE_NOT_VIEW")
        refused("ANALYZE TABLE files COMPUTE DELTA STATISTICS", "DELTA_ONLY_OPERATION")
        refused("ANALYZE TABLE nowhere COMPUTE DELTA STATISTICS", "TABLE_OR_VIEW_NOT_FOUND")
        refused("ANALYZE TABLE files COMPUTE DELTA STATISTICS NOSCAN", "PARSE_SYNTAX_ERROR")
        spark.sql("ANALYZE TABLE files COMPUTE STATISTICS")
    finally:
        for what in ("VIEW passing", "VIEW staying", "TABLE files"):
            spark.sql(f"DROP {what}")
