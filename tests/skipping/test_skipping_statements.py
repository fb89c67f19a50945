# SPDX-License-Identifier: Apache-2.0
"""Skipping in DML statements, after checkpoints, with time travel and in clones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.platforms import between
from support.scans import SKIPPING_ENABLED, scan
from support.skipping_table import ALL_LETTERS, letter_by_file, letters_read, write_files
from support.tables import Table, setting, write_checkpoint

if TYPE_CHECKING:
    from pathlib import Path


MERGE_KEYS_ENABLED = "spark.deltaCollations.skipping.mergeKeys.enabled"

MIN_AND_MAX = "SELECT min(name), max(name), min(ci), max(ci) FROM {t}"


def test_min_and_max_never_computed_from_bounds(people: Table) -> None:
    people.sql("DELETE FROM {t} WHERE name IN ('adam', 'ZOE')")

    assert people.rows(MIN_AND_MAX) == [("BERTA", "Yves", "BERTA", "Yves")]
    assert {file["stats"]["tightBounds"] for file in people.log.files.values()} == {True, False}
    assert letters_read(people, "name = 'ADAM'", rows=0) == "A"
    assert letters_read(people, "name < 'CARL'", rows=1) == "A"


CHECKPOINTS = {
    "JSON and parsed": {},
    "parsed only": {"delta.checkpoint.writeStatsAsJson": "false"},
    "v2": {"delta.checkpointPolicy": "v2"},
    "v2 parsed only": {
        "delta.checkpointPolicy": "v2",
        "delta.checkpoint.writeStatsAsJson": "false",
    },
}


@pytest.mark.parametrize("properties", CHECKPOINTS.values(), ids=CHECKPOINTS.keys())
def test_skipping_works_after_checkpoint(people: Table, properties: dict[str, str]) -> None:
    for key, value in properties.items():
        people.sql(f"ALTER TABLE {{t}} SET TBLPROPERTIES ('{key}' = '{value}')")
    write_checkpoint(people)

    assert letters_read(people, "name = 'DORA'", rows=1) == "C"
    assert letters_read(people, "home.city > 'x'", rows=2) == "Y"
    assert letters_read(people, "name COLLATE UTF8_BINARY = 'Dora'", rows=1) == "C"


def delete_other_files(table: Table, letter: str) -> None:
    """Delete all files but one, so that a statement that reads another file fails."""
    for path, key in letter_by_file(table).items():
        if key != letter:
            (table.path / path).unlink()


MERGE = "MERGE INTO {t} t USING (SELECT 'C' AS file, 'dora' COLLATE UTF8_LCASE AS name) s "

STATEMENTS = {
    "delete": ("DELETE FROM {t} WHERE name = 'DORA'", ["carl"]),
    "delete without deletion vectors": ("DELETE FROM {t} WHERE name = 'DORA'", ["carl"]),
    "update": (
        "UPDATE {t} SET name = 'x' WHERE " + between("ci", "'d'", "'DZ'"),
        ["carl", "x"],
    ),
    "merge": (
        MERGE + "ON t.name = s.name AND t.name = 'DORA' WHEN MATCHED THEN UPDATE SET name = 'x'",
        ["carl", "x"],
    ),
    "merge without deletion vectors": (
        MERGE + "ON t.file = s.file AND t.ci = 'DORA' WHEN MATCHED THEN DELETE",
        ["carl"],
    ),
}


@pytest.mark.parametrize("case", STATEMENTS)
def test_dml_reads_only_files_that_may_match(people: Table, case: str) -> None:
    statement, remaining = STATEMENTS[case]
    vectors = "false" if case.endswith("without deletion vectors") else "true"
    people.sql(f"ALTER TABLE {{t}} SET TBLPROPERTIES ('delta.enableDeletionVectors' = '{vectors}')")
    delete_other_files(people, "C")
    with (
        setting(people.spark, SKIPPING_ENABLED, "false"),
        setting(people.spark, MERGE_KEYS_ENABLED, "false"),
        pytest.raises(Exception, match="FAILED_READ_FILE"),
    ):
        people.sql(statement)

    people.sql(statement)

    near = between("name", "'c'", "'dz'")
    rest = f"SELECT name FROM {{t}} WHERE ({near}) OR name = 'x' ORDER BY name"
    assert people.column(rest) == remaining


def test_replace_where_reads_only_files_that_may_match(people: Table) -> None:
    delete_other_files(people, "C")
    rows = people.sql("SELECT 'C' AS file, 'DORIS' AS name")

    def replace() -> None:
        written = rows.write.format("delta").mode("overwrite")
        written.option("replaceWhere", "name >= 'd' AND name <= 'DZ'").save(str(people.path))

    with (
        setting(people.spark, SKIPPING_ENABLED, "false"),
        pytest.raises(Exception, match="FAILED_READ_FILE"),
    ):
        replace()
    replace()
    assert people.column("SELECT name FROM {t} WHERE " + between("name", "'c'", "'dz'")) == [
        "carl",
        "DORIS",
    ]


def test_time_travel_skips_by_schema_of_that_version(people: Table) -> None:
    people.sql("ALTER TABLE {t} ALTER COLUMN name TYPE STRING COLLATE UNICODE_CI")
    people.sql("DELETE FROM {t} WHERE file = 'C'")

    found = scan(people, "SELECT file FROM {t} VERSION AS OF 1 WHERE name = 'DORA'")
    assert (found.rows, found.in_table, len(found.files)) == ([("C",)], 6, 1)
    assert scan(people, "SELECT file FROM {t} WHERE name = 'DORA'").rows == []


def test_skipping_uses_old_bounds_only_for_old_collation_after_change(
    people: Table,
) -> None:
    people.sql("ALTER TABLE {t} ALTER COLUMN name TYPE STRING COLLATE UNICODE_CI")

    assert letters_read(people, "name = 'DORA'", rows=1) == ALL_LETTERS.replace("N", "")
    assert letters_read(people, "name COLLATE UTF8_LCASE = 'DORA'", rows=1) == "C"
    people.sql("INSERT INTO {t} (name) VALUES ('new')")
    found = scan(people, "SELECT name FROM {t} WHERE name = 'DORA'")
    assert (found.by_collated, found.reasons) == (1, ["no statistics: 5"])


def test_skipping_applies_to_shallow_clone(people: Table, tmp_path: Path) -> None:
    clone = Table(people.spark, tmp_path / "clone")
    clone.sql(f"CREATE TABLE {{t}} SHALLOW CLONE {people.name}")

    found = scan(clone, "SELECT file FROM {t} WHERE name = 'DORA'")
    assert (found.rows, len(found.files), found.by_collated) == ([("C",)], 1, 4)


def test_stream_finds_every_row(shared: Table) -> None:
    frame = shared.spark.readStream.format("delta").load(str(shared.path)).where("name > 'Y'")
    query = frame.writeStream.format("memory").queryName("streamed")
    query.trigger(availableNow=True).start().awaitTermination()

    assert sorted(row["name"] for row in shared.spark.table("streamed").collect()) == [
        "Yves",
        "zoe",
    ]


@pytest.mark.parametrize("mode", ["name", "id"])
def test_skipping_follows_renamed_column_but_not_readded_one(table: Table, mode: str) -> None:
    columns = "id INT, name STRING COLLATE UTF8_LCASE, home STRUCT<city: STRING COLLATE UNICODE_CI>"
    table.create(columns, **{"delta.columnMapping.mode": mode})
    schema = "id INT, name STRING, home STRUCT<city: STRING>"
    write_files(table, schema, [[(1, "Bob", ("Bonn",))], [(2, "zoe", ("Zug",))]])
    table.sql("ALTER TABLE {t} RENAME COLUMN name TO `who, then`")
    table.sql("ALTER TABLE {t} RENAME COLUMN home.city TO town")

    for predicate in ("`who, then` = 'ZOE'", "home.town = 'ZUG'"):
        found = scan(table, f"SELECT id FROM {{t}} WHERE {predicate}")
        assert (found.rows, found.by_collated) == ([(2,)], 1)

    table.sql("ALTER TABLE {t} DROP COLUMN `who, then`")
    table.sql("ALTER TABLE {t} ADD COLUMN `who, then` STRING COLLATE UTF8_LCASE")
    table.sql("INSERT INTO {t} VALUES (3, struct('Zug'), 'ZOE')")
    found = scan(table, "SELECT id FROM {t} WHERE `who, then` = 'bob'")
    assert (found.rows, found.by_collated, found.reasons) == ([], 1, ["no statistics: 2"])
