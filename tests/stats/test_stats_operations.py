# SPDX-License-Identifier: Apache-2.0
"""Every operation that adds or changes files writes or keeps the collated bounds."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from support.tables import (
    ForeignTable,
    Table,
    collated,
    field,
    recompute_stats,
    setting,
    stored_bounds,
    values_outside_bounds,
    write_checkpoint,
)
from support.write_operations import WRITES, set_properties


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
def test_bounds_contain_rows_after_write(
    people: Table, write: Callable[[Table], None], version: str
) -> None:
    write(people)

    assert len(people.log.commits) > 3
    assert people.column("SELECT count(*) FROM {t}") != [0]
    for stats in people.log.stats:
        assert f"icu.UNICODE_CI.{version}" in stats["statsWithCollation"]
        assert "name" in stats["minValues"]
    assert values_outside_bounds(people) == []


def test_auto_compaction_writes_bounds(people: Table, version: str) -> None:
    people.sql("ALTER TABLE {t} SET TBLPROPERTIES ('delta.autoOptimize.autoCompact' = 'true')")
    with setting(people.spark, "spark.databricks.delta.autoCompact.minNumFiles", "2"):
        people.insert("99, 'émile', struct('Zürich')")

    (stats,) = people.log.stats
    assert stored_bounds(stats, f"icu.UNICODE_CI.{version}", "name") == ("Ann 0", "émile")


def test_stats_recomputation_writes_bounds(table: Table, version: str) -> None:
    table.create("name STRING COLLATE UNICODE_CI")
    with setting(table.spark, "spark.databricks.delta.stats.collect", "false"):
        table.insert("'bob'")
    assert table.log.stats == [None]

    recompute_stats(table)

    assert stored_bounds(table.log.stats[0], f"icu.UNICODE_CI.{version}", "name") == (
        "bob",
        "bob",
    )
    assert table.log.actions("add")[-1]["dataChange"] is False


def test_convert_to_delta_writes_bounds(spark: SparkSession, tmp_path: Path, version: str) -> None:
    path = tmp_path / "table"
    frame = spark.sql("SELECT 'bob' COLLATE UNICODE_CI AS name")
    frame.coalesce(1).write.parquet(str(path))

    spark.sql(f"CONVERT TO DELTA parquet.`{path}`")

    stats = Table(spark, path).log.stats[0]
    assert stored_bounds(stats, f"icu.UNICODE_CI.{version}", "name") == ("bob", "bob")


def test_ctas_writes_bounds(table: Table, version: str) -> None:
    table.sql("CREATE TABLE {t} USING delta AS SELECT 'bob' COLLATE UNICODE_CI AS name")

    assert stored_bounds(table.log.stats[0], f"icu.UNICODE_CI.{version}", "name") == (
        "bob",
        "bob",
    )


def test_shallow_clone_has_stats_of_source(people: Table) -> None:
    clone = Table(people.spark, people.path.parent / "clone")
    people.sql(f"CREATE TABLE {clone.name} SHALLOW CLONE {{t}}")

    assert {path.split("/")[-1]: file["stats"] for path, file in clone.log.files.items()} == {
        path: file["stats"] for path, file in people.log.files.items()
    }


def test_deletion_vector_keeps_bounds_and_marks_them_wide(people: Table) -> None:
    before = people.log.files

    people.sql("DELETE FROM {t} WHERE id = 3")

    changed = [file for file in people.log.files.values() if "deletionVector" in file]
    (file,) = changed
    assert file["stats"]["tightBounds"] is False
    assert file["stats"]["numRecords"] == 10
    for name in ("statsWithCollation", "minValues", "maxValues"):
        assert file["stats"][name] == before[file["path"]]["stats"][name]


def test_second_deletion_vector_keeps_bounds(people: Table) -> None:
    before = people.log.files
    people.sql("DELETE FROM {t} WHERE id = 3")
    people.sql("UPDATE {t} SET name = 'x' WHERE id = 4")

    kept = {path: file for path, file in people.log.files.items() if path in before}
    assert len(kept) == len(before)
    for path, file in kept.items():
        assert file["stats"]["maxValues"] == before[path]["stats"]["maxValues"]
        collated_stats = file["stats"]["statsWithCollation"]
        assert collated_stats == before[path]["stats"]["statsWithCollation"]
    assert values_outside_bounds(people) == []


def test_deletion_vector_written_for_file_without_stats(
    people: Table,
) -> None:
    with setting(people.spark, "spark.databricks.delta.stats.collect", "false"):
        rows = people.spark.sql("SELECT 50 id, 'a' name UNION ALL SELECT 51, 'b'")
        rows.coalesce(1).write.format("delta").mode("append").save(str(people.path))

    people.sql("DELETE FROM {t} WHERE id = 51")

    assert people.column("SELECT name FROM {t} WHERE id >= 50") == ["a"]
    (file,) = [f for f in people.log.files.values() if "deletionVector" in f]
    assert file["stats"]["numRecords"] == 2


@pytest.mark.parametrize(
    "checkpoint",
    [
        {},
        {"delta.checkpoint.writeStatsAsJson": "false"},
        {"delta.checkpointPolicy": "v2"},
        {"delta.checkpointPolicy": "v2", "delta.checkpoint.writeStatsAsJson": "false"},
    ],
    ids=["classic", "parsed only", "v2", "v2 parsed only"],
)
def test_checkpoint_keeps_stats(people: Table, checkpoint: dict[str, str]) -> None:
    settings = ", ".join(f"'{key}' = '{value}'" for key, value in checkpoint.items())
    if settings:
        people.sql(f"ALTER TABLE {{t}} SET TBLPROPERTIES ({settings})")
    before = people.log.files

    write_checkpoint(people)
    people.sql("ALTER TABLE {t} SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')")

    after = people.log.files
    assert after.keys() == before.keys()
    for path, file in after.items():
        assert file["stats"] == before[path]["stats"]


FOREIGN_STATS = {
    "icu.UNICODE_CI.75.1": {"minValues": {"name": "a"}, "maxValues": {"name": "z"}},
    "acme.KLINGON.1": {
        "minValues": {"name": "q"},
        "maxValues": {"name": "p", "plain": "x"},
    },
}


@pytest.fixture
def foreign(spark: SparkSession, tmp_path: Path) -> Table:
    """Return a table of another engine, with statistics of another version and collation."""
    schema = [
        field("id", "integer"),
        collated("name", "icu.UNICODE_CI"),
        field("plain", "string"),
    ]
    stats = {
        "numRecords": 2,
        "minValues": {"id": 1, "name": "Bob", "plain": "x"},
        "maxValues": {"id": 2, "name": "ann", "plain": "y"},
        "nullCount": {"id": 0, "name": 0, "plain": 0},
        "statsWithCollation": FOREIGN_STATS,
    }
    rows = {
        "id": pa.array([1, 2], pa.int32()),
        "name": ["Bob", "ann"],
        "plain": ["x", "y"],
    }
    features = ["appendOnly", "invariants", "domainMetadata", "collations"]
    path = tmp_path / "foreign"
    ForeignTable(path, schema, features).write((rows, stats))
    return Table(spark, path)


def after_checkpoint(text: str) -> Callable[[Table], None]:
    def run(table: Table) -> None:
        set_properties(text)(table)
        write_checkpoint(table)
        set_properties("'delta.enableRowTracking' = 'true'")(table)

    return run


def delete_one(table: Table) -> None:
    set_properties("'delta.enableDeletionVectors' = 'true'")(table)
    table.sql("DELETE FROM {t} WHERE id = 1")


REWRITES: dict[str, Callable[[Table], None]] = {
    "deletion vector": delete_one,
    "row tracking": set_properties("'delta.enableRowTracking' = 'true'"),
    "checkpoint": after_checkpoint("'delta.checkpoint.writeStatsAsJson' = 'true'"),
    "checkpoint with parsed stats only": after_checkpoint(
        "'delta.checkpoint.writeStatsAsJson' = 'false'"
    ),
    "stats recomputation": recompute_stats,
}


@pytest.mark.parametrize("rewrite", REWRITES.values(), ids=REWRITES.keys())
def test_stats_of_other_versions_and_unknown_collations_survive(
    foreign: Table, rewrite: Callable[[Table], None]
) -> None:
    rewrite(foreign)

    assert len(foreign.log.commits) > 1
    (stats,) = foreign.log.stats
    assert {key: stats["statsWithCollation"].get(key) for key in FOREIGN_STATS} == FOREIGN_STATS
    assert stats["minValues"]["name"] == "Bob"
