# SPDX-License-Identifier: Apache-2.0
"""The table functions ``collation_columns``, ``_status``, ``_explain``, ``_files`` and ``_for``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException
from support.platforms import OLD_ICU, OLDER_ICU, VIEW
from support.refresh import COLLATED, insert_one_file, refresh, without_collated_stats
from support.tables import (
    ForeignTable,
    Table,
    clear_log_cache,
    collated,
    explain,
    field,
    setting,
    write_checkpoint,
)

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession
    from support.tables import Json

    File = tuple[dict[str, list[str | None]], Json]

FEATURES = ["collations", "domainMetadata"]


def status(table: Table, *columns: str) -> list[tuple[object, ...]]:
    return table.rows(f"SELECT {', '.join(columns)} FROM collation_status('{{t}}')")


def statuses(table: Table) -> dict[str, str]:
    rows = table.rows("SELECT column, status FROM collation_status('{t}') WHERE is_current")
    return {column: status for column, status in rows}  # noqa: C416


def outcomes(table: Table, predicate: str) -> dict[tuple[str, str], int]:
    rows = table.rows(f"SELECT * FROM collation_explain('{{t}}', \"{predicate}\")")
    return {(outcome, reason): files for outcome, files, reason, _ in rows if files}


def file(rows: int, *versions: str, nulls: int = 0) -> File:
    """Return a file with bounds of the column ``name`` for these ICU versions."""
    bounds = {"minValues": {"name": "Bob"}, "maxValues": {"name": "Bob"}}
    stats = {
        "numRecords": rows,
        "nullCount": {"name": nulls},
        "statsWithCollation": {f"icu.UNICODE_CI.{version}": bounds for version in versions},
    }
    return {"name": ["Bob"] * (rows - nulls) + [None] * nulls}, stats


def foreign_table(spark: SparkSession, path: Path, *files: File) -> Table:
    columns = [collated("name", "icu.UNICODE_CI")]
    return Table(spark, ForeignTable(path / "t", columns, FEATURES).write(*files))


def test_collation_columns_lists_collations_and_stats(table: Table, version: str) -> None:
    table.create(
        "id INT, name STRING COLLATE UNICODE_CI, plain STRING, "
        "inner STRUCT<`a-b`: STRING COLLATE UTF8_LCASE>, tags ARRAY<STRING COLLATE de>, "
        "odd STRING COLLATE UNICODE_AI, late STRING COLLATE sv",
        **{"delta.dataSkippingStatsColumns": "name,inner,odd"},
    )
    table.insert("1, 'Bob', 'x', named_struct('a-b', 'y'), array('z'), 'o', 'l'")

    assert table.rows("SELECT * FROM collation_columns('{t}')") == [
        ("name", "icu.UNICODE_CI", 2, "collected", 1, 1),
        ("inner.`a-b`", "spark.UTF8_LCASE", 4, "collected", 1, 1),
        ("tags.element", "icu.de", 5, "inside an array or map", 1, 0),
        ("odd", "icu.UNICODE_AI", 6, "collected", 1, 1),
        ("late", "icu.sv", 7, "not an indexed column", 1, 0),
    ]
    assert {row[0] for row in status(table, "version")} == {version}


def test_collation_status_is_healthy_when_stats_are_complete(table: Table) -> None:
    table.create(COLLATED)
    assert status(table, "status", "command", "files") == [("healthy", None, 0)]

    table.insert("'Bob'").insert("NULL")
    assert status(table, "status", "command", "files", "files_covered", "rows_covered") == [
        ("healthy", None, 2, 2, 2)
    ]


def test_collation_status_command_fixes_files_without_stats(table: Table) -> None:
    insert_one_file(table.create(COLLATED), "'Bob'")
    with without_collated_stats(table):
        insert_one_file(table, "'Eve'", "'Ada'")
    size = list(table.log.files.values())[-1]["size"]

    [(first_status, command, *figures)] = status(
        table, "status", "command", "files_missing", "rows_missing", "bytes_missing"
    )
    assert first_status.startswith("partial: 1 of 2 files without statistics of ICU ")  # type: ignore[attr-defined]
    assert figures == [1, 2, size]
    table.spark.sql(str(command))
    assert statuses(table) == {"name": "healthy"}


def test_collation_status_is_stale_when_stats_have_another_icu_version(
    spark: SparkSession, tmp_path: Path, version: str
) -> None:
    table = foreign_table(spark, tmp_path, file(3, OLD_ICU), file(5, OLDER_ICU, OLD_ICU))

    current, *others = table.rows("SELECT * FROM collation_status('{t}')")
    assert current[2:6] == (
        "icu.UNICODE_CI",
        version,
        True,
        f"stale: written by ICU {OLDER_ICU} and {OLD_ICU}, current is {version}",
    )
    assert current[7:14] == (2, 0, 2, 0, 0, 8, 0)
    unused = f"not used: written by ICU {{}}, current is {version}"
    assert [(row[3], row[5], row[7:14]) for row in others] == [
        (OLDER_ICU, unused.format(OLDER_ICU), (2, 1, 1, 0, 5, 3, 0)),
        (OLD_ICU, unused.format(OLD_ICU), (2, 2, 0, 0, 8, 0, 0)),
    ]
    assert refresh(table)["files_refreshed"] == 2
    assert statuses(table) == {"name": "healthy"}


def test_collation_status_is_missing_or_partial_when_files_lack_stats(
    spark: SparkSession, tmp_path: Path, version: str
) -> None:
    without_stats: File = ({"name": ["Eve"]}, {"numRecords": 1})
    missing = foreign_table(spark, tmp_path / "a", without_stats, file(2, nulls=2))
    assert statuses(missing) == {"name": "missing: no file has statistics"}

    mixed = foreign_table(spark, tmp_path / "b", without_stats, file(1, OLD_ICU))
    expected = f"partial: 2 of 2 files without statistics of ICU {version}"
    assert statuses(mixed) == {"name": expected}
    assert mixed.column("SELECT files_missing FROM collation_status('{t}')") == [1, 1]


def test_collation_status_is_healthy_exactly_when_refresh_has_nothing_to_do(table: Table) -> None:
    table.create("name STRING COLLATE UNICODE_CI, city STRING COLLATE de", **{
        "delta.enableDeletionVectors": "true",
    })  # fmt: skip
    insert_one_file(table, "'Bob', NULL", "'Eve', 'Ulm'")
    with without_collated_stats(table):
        insert_one_file(table, "NULL, 'Köln'", "NULL, NULL")
    assert statuses(table)["name"] == "healthy"
    assert statuses(table)["city"].startswith("partial")

    table.sql("DELETE FROM {t} WHERE name = 'BOB'")
    write_checkpoint(table)
    assert refresh(table)["files_refreshed"] == 1
    assert set(statuses(table).values()) == {"healthy"}
    assert refresh(table)["files_refreshed"] == 0


def test_collation_status_finds_stats_by_physical_column_name(table: Table) -> None:
    table.create(COLLATED, **{"delta.columnMapping.mode": "name"}).insert("'Bob'")
    table.sql("ALTER TABLE {t} RENAME COLUMN name TO `full name`")

    assert statuses(table) == {"`full name`": "healthy"}


def test_collation_status_of_partition_column_is_not_collected(
    spark: SparkSession, tmp_path: Path
) -> None:
    columns = [collated("name", "icu.UNICODE_CI"), field("id", "integer")]
    foreign = ForeignTable(tmp_path / "t", columns, FEATURES, partition_columns=["name"])
    table = Table(spark, foreign.write())

    assert statuses(table) == {"name": "not collected: partition column"}


@pytest.mark.closed_to_other_readers
def test_collation_status_of_unsupported_collation_is_unknown(
    spark: SparkSession, tmp_path: Path
) -> None:
    columns = [collated("name", "acme.KLINGON"), collated("city", "ICU.de_DE")]
    table = Table(spark, ForeignTable(tmp_path / "t", columns, FEATURES).write())

    assert table.rows("SELECT column, collation, version, status FROM collation_status('{t}')")[
        0
    ] == ("name", "acme.KLINGON", None, "unknown collation")
    assert table.rows("SELECT column, collation, statistics FROM collation_columns('{t}')") == [
        ("name", "acme.KLINGON", "unknown collation"),
        ("city", "ICU.de_DE", "collected"),
    ]


def test_collation_status_counts_invalid_stats_as_missing(table: Table) -> None:
    insert_one_file(table.create(COLLATED), "'Bob'")
    [path] = (table.path / "_delta_log").glob("*1.json")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for text in ('{"numRecords": ', "[]", '{"numRecords": "x", "statsWithCollation": 7}'):
        changed = [
            {"add": {**line["add"], "stats": text}} if "add" in line else line for line in lines
        ]
        path.write_text("".join(json.dumps(line) + "\n" for line in changed))
        clear_log_cache(table)
        assert status(table, "files_missing", "rows_missing") == [(1, 0)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    clear_log_cache(table)


def test_collation_explain_counts_read_and_skipped_files(table: Table) -> None:
    table.create("name STRING COLLATE UNICODE_CI, id INT, part INT").sql(
        "ALTER TABLE {t} CLUSTER BY NONE"
    )
    for number, name in enumerate(["Ada", "bob", "Čeněk", "Eve"]):
        table.insert(f"'{name}', {number}, 0")
    with without_collated_stats(table):
        table.insert("'Bob', 9, 0")

    assert outcomes(table, "name = 'BOB'") == {
        ("pruned by collated statistics", "no row between their bounds can match"): 3,
        ("read", "a row may match"): 1,
        ("read", "no statistics"): 1,
    }
    assert outcomes(table, "id = 2") == {
        ("pruned by binary statistics", "no row between their bounds can match"): 4,
        ("read", "a row may match"): 1,
    }
    assert outcomes(table, "contains(name, 'o')") == {
        ("read", "predicate cannot use statistics"): 5
    }
    assert outcomes(table, "1 = 0") == {("not scanned", "no row can make the predicate true"): 5}
    with setting(table.spark, "spark.deltaCollations.skipping.enabled", "false"):
        assert outcomes(table, "name = 'BOB'") == {("read", "skipping is disabled"): 5}


def test_collation_explain_has_command_when_refresh_would_help(
    spark: SparkSession, tmp_path: Path
) -> None:
    stale = foreign_table(spark, tmp_path, file(1, OLD_ICU))
    query = "SELECT reason, command FROM collation_explain('{t}', \"{p}\") WHERE files > 0"
    assert stale.rows(query.replace("{p}", "name = 'Eve'")) == [
        (
            "statistics of another ICU version",
            f"ANALYZE TABLE {stale.name} COMPUTE DELTA STATISTICS",
        )
    ]

    table = Table(spark, tmp_path / "u").create("id INT, tags STRING COLLATE UNICODE_AI")
    table.insert("1, 'x'")
    assert table.rows(query.replace("{p}", "tags != 'y'")) == [
        ("predicate cannot use statistics", None)
    ]


def test_collation_explain_and_status_name_collation_of_bounds(table: Table) -> None:
    table.create("id INT, tags STRING COLLATE UNICODE_AI").insert("1, 'x'")

    assert outcomes(table, "tags = 'y'") == {
        (
            "pruned by collated statistics",
            "no row between their bounds in UNICODE_CI_AI can match",
        ): 1,
    }
    assert status(table, "collation", "statistics_collation", "status") == [
        ("icu.UNICODE_AI", "icu.UNICODE_CI_AI", "healthy")
    ]
    plan = explain(table.sql("SELECT id FROM {t} WHERE tags = 'X'"), "formatted")
    assert "BoundsUsed: tags: UNICODE_CI_AI for UNICODE_AI" in plan


def test_table_functions_do_not_read_data_files(table: Table) -> None:
    insert_one_file(table.create(COLLATED), "'Bob'")
    data = table.path / next(iter(table.log.files))
    moved = data.rename(data.with_suffix(".away"))
    try:
        assert statuses(table) == {"name": "healthy"}
        assert outcomes(table, "name = 'BOB'") == {("read", "a row may match"): 1}
        assert table.rows("SELECT min, max FROM collation_files('{t}', 'name')") == [("Bob", "Bob")]
    finally:
        moved.rename(data)


def test_collation_files_lists_bounds_and_whether_files_are_read(table: Table) -> None:
    table.create(COLLATED).insert("'Ada'").insert("'Eve'").insert("NULL")
    query = "SELECT min, max, rows, is_read FROM collation_files('{t}', 'NAME'{p}) ORDER BY min"

    assert table.rows(query.replace("{p}", "")) == [
        (None, None, 1, None),
        ("Ada", "Ada", 1, None),
        ("Eve", "Eve", 1, None),
    ]
    assert table.rows(query.replace("{p}", ", \"name = 'eve'\"")) == [
        (None, None, 1, False),
        ("Ada", "Ada", 1, False),
        ("Eve", "Eve", 1, True),
    ]


def test_table_functions_work_in_views_joins_and_with_parameters(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE looked_at (name STRING COLLATE UNICODE_CI) USING delta")
    try:
        spark.sql(f"CREATE {VIEW} health AS SELECT * FROM collation_status('looked_at')")
        [row] = spark.sql(
            "SELECT a.status, count(*) FROM health a JOIN collation_columns('looked_at') b "
            "USING (column) WHERE b.position = 1 GROUP BY a.status"
        ).collect()
        assert tuple(row) == ("healthy", 1)
        rows = spark.sql("SELECT files FROM collation_status(:t)", {"t": "default.looked_at"})
        assert rows.collect() == [(0,)]
    finally:
        spark.sql("DROP VIEW IF EXISTS health")
        spark.sql("DROP TABLE looked_at")


INVALID_CALLS = {
    "collation_status('nowhere')": "TABLE_OR_VIEW_NOT_FOUND",
    "collation_status('delta.`/nowhere`')": "DELTA_MISSING_DELTA_TABLE",
    "collation_status('nightly')": "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE",
    "collation_status('plain_parquet')": "DELTA_ONLY_OPERATION",
    "collation_status()": "COLLATIONS_INVALID_ARGUMENT",
    "collation_status(7)": "COLLATIONS_INVALID_ARGUMENT",
    "collation_status(NULL)": "COLLATIONS_INVALID_ARGUMENT",
    "collation_explain('plain_delta')": "COLLATIONS_INVALID_ARGUMENT",
    "collation_explain('plain_delta', 'nobody = 1')": "UNRESOLVED_COLUMN.WITH_SUGGESTION",
    "collation_files('plain_delta', 'name')": "COLLATIONS_COLUMN_NOT_COLLATED",
    "collation_status('a b')": "PARSE_SYNTAX_ERROR",
    "collation_explain('plain_delta', 'name =')": "PARSE_SYNTAX_ERROR",
}


def test_table_functions_reject_invalid_arguments(spark: SparkSession) -> None:
    objects = {
        "TABLE plain_parquet": "(name STRING) USING parquet",
        "TABLE plain_delta": "(name STRING) USING delta",
        "VIEW nightly": "AS SELECT 1",
    }
    for name, definition in objects.items():
        spark.sql(f"CREATE {name} {definition}")
    try:
        for call, condition in INVALID_CALLS.items():
            with pytest.raises(AnalysisException) as error:
                spark.sql(f"SELECT * FROM {call}")
            assert error.value.getCondition() == condition, call
            assert condition in str(error.value)
    finally:
        for name in objects:
            spark.sql(f"DROP {name}")


def test_collation_status_is_empty_without_collated_column(table: Table) -> None:
    table.create("name STRING").insert("'Bob'")

    assert table.rows("SELECT * FROM collation_status('{t}')") == []
    assert outcomes(table, "name = 'Eve'") == {
        ("pruned by binary statistics", "no row between their bounds can match"): 1
    }


def test_collation_for_finds_nearest_spark_collation(spark: SparkSession) -> None:
    def found(name: str) -> list[tuple[object, ...]]:
        columns = "system, collation, is_exact, length(differences) > 0"
        rows = spark.sql(f"SELECT {columns} FROM collation_for(?)", [name]).collect()
        return [tuple(row) for row in rows]

    assert found("SQL_Latin1_General_CP1_CI_AS") == [
        ("SQL Server", "UNICODE_CI_RTRIM", False, True)
    ]
    assert ("PostgreSQL", "UTF8_BINARY", True, True) in found("C")
    assert found("utf8_lcase") == [("Spark", "UTF8_LCASE", True, True)]
    assert found("it's nothing") == [("unknown", None, False, True)]
