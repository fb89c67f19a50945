# SPDX-License-Identifier: Apache-2.0
"""A stream continues when the collation of a column of its source changes, and only then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import StreamingQueryException
from support import platforms
from support.kernel_connector import kernel
from support.streams import run_stream, start_stream, stream_of

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import Row, SparkSession
    from support.tables import Table

pytestmark = pytest.mark.skipif(
    not platforms.HAS_STREAM_SCHEMA_CHECK, reason="Delta 4.0 does not have the method"
)

CHANGED = "DELTA_SCHEMA_CHANGED"
MAPPED = {"delta.columnMapping.mode": "name"}
CHANGE_FEED = {"delta.enableChangeDataFeed": "true"}


def alter(table: Table, collation: str, column: str = "name") -> None:
    table.sql(f"ALTER TABLE {{t}} ALTER COLUMN {column} TYPE STRING COLLATE {collation}")


def ids(rows: list[Row]) -> list[int]:
    return sorted(row.id for row in rows)


@pytest.mark.parametrize(
    ("properties", "options"),
    [
        ({}, {}),
        (MAPPED, {"startingVersion": "0", "maxFilesPerTrigger": "1"}),
        (CHANGE_FEED, {"readChangeFeed": "true", "startingVersion": "0"}),
    ],
)
def test_stream_uses_new_collation_after_restart(
    table: Table, tmp_path: Path, properties: dict[str, str], options: dict[str, str]
) -> None:
    table.create("id INT, name STRING", **properties).insert("1, 'bob'", "2, 'BOB'")
    progress = tmp_path / "progress"
    assert ids(run_stream(stream_of(table, "name = 'BOB'", **options), progress)) == [2]
    # Row 3 was written before the change, and is compared by the new collation, too.
    table.insert("3, 'Bob'")
    alter(table, "UNICODE_CI")
    table.insert("4, 'bOB'", "5, 'zoe'")
    assert ids(run_stream(stream_of(table, "name = 'BOB'", **options), progress)) == [3, 4]
    if not options:
        alter(table, "UTF8_LCASE")
        alter(table, "UTF8_BINARY")
        table.insert("6, 'bob'", "7, 'BOB'")
        assert ids(run_stream(stream_of(table, "name = 'BOB'"), progress)) == [7]


def test_stream_continues_when_collation_of_nested_string_changes(
    table: Table, tmp_path: Path
) -> None:
    table.create("id INT, s STRUCT<f: STRING>, a ARRAY<STRING>, m MAP<STRING, STRUCT<f: STRING>>")
    row = "named_struct('f', 'bob'), array('bob'), map('k', named_struct('f', 'bob'))"
    table.insert(f"1, {row}")
    assert ids(run_stream(stream_of(table), tmp_path / "progress")) == [1]
    table.insert(f"2, {row}")
    for column in ("s.f", "a.element", "m.value.f"):
        alter(table, "UNICODE_CI", column)
    table.insert(f"3, {row}")
    where = "s.f = 'BOB' AND a[0] = 'BOB' AND m['k'].f = 'BOB'"
    assert ids(run_stream(stream_of(table, where), tmp_path / "progress")) == [2, 3]


def test_running_stream_keeps_its_collation(table: Table, tmp_path: Path) -> None:
    table.create("id INT, name STRING").insert("1, 'bob'", "2, 'BOB'")
    rows: list[Row] = []
    frame = stream_of(table, "name = 'BOB'")
    query = start_stream(frame, tmp_path / "progress", rows)
    try:
        query.processAllAvailable()
        alter(table, "UNICODE_CI")
        table.insert("3, 'bob'", "4, 'BOB'")
        query.processAllAvailable()
    finally:
        query.stop()
    assert ids(rows) == [2, 4]
    table.insert("5, 'bob'", "6, 'BOB'")
    assert ids(run_stream(frame, tmp_path / "progress")) == [6]
    table.insert("7, 'bob'")
    assert ids(run_stream(stream_of(table, "name = 'BOB'"), tmp_path / "progress")) == [7]


def test_stream_with_schema_tracking_stops_once_when_collation_changes(
    table: Table, tmp_path: Path
) -> None:
    table.create("id INT, name STRING").insert("1, 'BOB'")
    progress = tmp_path / "progress"
    options = {"schemaTrackingLocation": str(progress / "_schema")}
    assert ids(run_stream(stream_of(table, "name = 'BOB'", **options), progress)) == [1]
    # The stream reads each row with the schema of its version.
    table.insert("2, 'bob'")
    alter(table, "UNICODE_CI")
    table.insert("3, 'bob'")
    with pytest.raises(StreamingQueryException, match="DELTA_STREAMING_METADATA_EVOLUTION"):
        run_stream(stream_of(table, "name = 'BOB'", **options), progress)
    assert ids(run_stream(stream_of(table, "name = 'BOB'", **options), progress)) == [3]


def test_stream_with_schema_tracking_continues_after_rename_and_collation_change(
    table: Table, tmp_path: Path
) -> None:
    table.create("id INT, a STRING, b STRING COLLATE UTF8_LCASE", **MAPPED).insert("1, 'x', 'x'")
    progress = tmp_path / "progress"
    options = {
        "schemaTrackingLocation": str(progress / "_schema"),
        "allowSourceColumnRename": "always",
    }
    assert ids(run_stream(stream_of(table, **options), progress)) == [1]
    # The two columns swap their names, and the second one gets another collation.
    for old, new in (("a", "c"), ("b", "a"), ("c", "b")):
        table.sql(f"ALTER TABLE {{t}} RENAME COLUMN {old} TO {new}")
    alter(table, "UNICODE_CI", "a")
    table.insert("2, 'y', 'Y'")
    with pytest.raises(StreamingQueryException, match="DELTA_STREAMING_METADATA_EVOLUTION"):
        run_stream(stream_of(table, **options), progress)
    assert ids(run_stream(stream_of(table, "a = 'Y'", **options), progress)) == [2]


CHANGES = {
    "rename": (MAPPED, "ALTER TABLE {t} RENAME COLUMN number TO renamed", "DELTA_STREAMING"),
    "type": (
        {"delta.enableTypeWidening": "true"},
        "ALTER TABLE {t} ALTER COLUMN number TYPE BIGINT",
        CHANGED,
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_stream_stops_when_schema_changes_together_with_collation(
    table: Table, tmp_path: Path, change: str
) -> None:
    properties, statement, condition = CHANGES[change]
    table.create("id INT, number INT NOT NULL, name STRING", **properties).insert("1, 1, 'bob'")
    query = start_stream(stream_of(table), tmp_path / "progress", [])
    try:
        query.processAllAvailable()
        alter(table, "UNICODE_CI")
        query.processAllAvailable()
        table.sql(statement)
        table.sql("INSERT INTO {t} SELECT * FROM {t}")
        with pytest.raises(StreamingQueryException, match=condition):
            query.processAllAvailable()
    finally:
        query.stop()


def test_stream_reads_added_column_after_one_restart(table: Table, tmp_path: Path) -> None:
    table.create("id INT, name STRING").insert("1, 'bob'")
    query = start_stream(stream_of(table), tmp_path / "progress", [])
    try:
        query.processAllAvailable()
        alter(table, "UNICODE_CI")
        table.sql("ALTER TABLE {t} ADD COLUMN added INT")
        table.insert("2, 'bob', 7")
        with pytest.raises(StreamingQueryException, match=CHANGED):
            query.processAllAvailable()
    finally:
        query.stop()
    rows = run_stream(stream_of(table, "name = 'BOB'"), tmp_path / "progress")
    assert [tuple(row) for row in rows] == [(2, "bob", 7)]


@pytest.mark.skipif(not platforms.HAS_KERNEL, reason="Delta Kernel is not usable")
@pytest.mark.parametrize("options", [{}, {"readChangeFeed": "true", "startingVersion": "1"}])
def test_stream_of_kernel_connector_uses_new_collation_after_restart(
    table: Table, tmp_path: Path, options: dict[str, str]
) -> None:
    table.create("id INT, name STRING", **CHANGE_FEED).insert("1, 'bob'", "2, 'BOB'")
    table.sql(f"CREATE TABLE stream_source USING delta LOCATION '{table.path}'")

    def run() -> list[int]:
        with kernel(table.spark):
            frame = table.spark.readStream.options(**options).table("stream_source")
            return ids(run_stream(frame.where("name = 'BOB'"), tmp_path / "progress"))

    try:
        assert run() == [2]
        table.insert("3, 'Bob'")
        alter(table, "UNICODE_CI")
        table.insert("4, 'bOB'")
        assert run() == [3, 4]
    finally:
        table.sql("DROP TABLE stream_source")


# --- the comparison of schemas ---

SCHEMAS = {
    "same": ("id INT, name STRING", "id INT, name STRING"),
    "added": ("id INT, name STRING, added STRING", "id INT, name STRING"),
    "dropped": ("id INT", "id INT, name STRING"),
    "other case": ("id INT, Name STRING", "id INT, name STRING"),
    "other type": ("id BIGINT, name STRING", "id INT, name STRING"),
    "string to binary": ("id INT, name BINARY", "id INT, name STRING"),
    "string to struct": ("id INT, name STRUCT<f: STRING>", "id INT, name STRING"),
    "nullable": ("id INT, name STRING", "id INT, name STRING NOT NULL"),
    "not nullable": ("id INT, name STRING NOT NULL", "id INT, name STRING"),
    "nested": ("s STRUCT<f: ARRAY<STRING>>", "s STRUCT<f: ARRAY<STRING>>"),
    "added field": ("s STRUCT<f: STRING, g: STRING>", "s STRUCT<f: STRING>"),
    "other element": ("a ARRAY<STRING>", "a ARRAY<INT>"),
    "map value": ("m MAP<INT, STRING>", "m MAP<INT, STRING>"),
    "other map key": ("m MAP<INT, STRING>", "m MAP<BIGINT, STRING>"),
}
# In all other cases, the stream stops.
COMPATIBLE = {"same", "dropped", "not nullable", "nested", "map value"}


def result(spark: SparkSession, data: str, read: str, *, backfilling: bool) -> str:
    """Return Delta's decision whether a stream with one schema can read data with another."""
    jvm: Any = spark._jvm  # noqa: SLF001
    utils = jvm.org.apache.spark.sql.delta.sources.DeltaStreamUtils
    companion = getattr(
        jvm.org.apache.spark.sql.delta.sources, "DeltaStreamUtils$SchemaReadOptions$"
    )
    options = getattr(companion, "MODULE$").fromSparkSession(
        spark._jsparkSession,  # noqa: SLF001
        False,  # noqa: FBT003
        False,  # noqa: FBT003
    )
    nothing = getattr(getattr(jvm.scala.collection.immutable, "Nil$"), "MODULE$")
    types = jvm.org.apache.spark.sql.types.StructType
    schemas = (types.fromDDL(data), types.fromDDL(read))
    return str(
        utils.checkSchemaChangesWhenNoSchemaTracking(
            *schemas, nothing, nothing, backfilling, options
        ).toString()
    )


@pytest.mark.parametrize("backfilling", [True, False])
@pytest.mark.parametrize("case", SCHEMAS)
def test_collations_do_not_matter_when_schemas_of_stream_are_compared(
    spark: SparkSession, case: str, *, backfilling: bool
) -> None:
    data, read = SCHEMAS[case]
    expected = result(spark, data, read, backfilling=backfilling)
    assert (expected == "Compatible") == (case in COMPATIBLE)
    collations = ["STRING", "STRING COLLATE UNICODE_CI", "STRING COLLATE UTF8_LCASE"]
    for first in collations:
        for second in collations:
            schemas = data.replace("STRING", first), read.replace("STRING", second)
            assert result(spark, *schemas, backfilling=backfilling) == expected, schemas
