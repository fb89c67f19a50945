# SPDX-License-Identifier: Apache-2.0
"""A tag of each file lists the code point blocks that occur in its collated columns."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F  # noqa: N812
from support.refresh import COLLATED, commit_count, insert_one_file, refresh, without_collated_stats
from support.tables import ForeignTable, Json, Table, collated, setting, write_checkpoint
from support.write_operations import WRITES, stream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from pyspark.sql import SparkSession

TAG = "deltaCollations.codePoints"
PEOPLE = ("name", "home.city")


def blocks(values: Iterable[str | None]) -> str:
    """Return the expected tag of these values, if it has no more than 32 ranges."""
    found = sorted({ord(char) >> 4 for value in values if value for char in value})
    ends = [found[0], *(n for pair in gaps(found) for n in pair), found[-1]] if found else []
    ranges = zip(ends[::2], ends[1::2], strict=True)
    return " ".join(f"{low:x}" if low == high else f"{low:x}-{high:x}" for low, high in ranges)


def gaps(numbers: list[int]) -> list[tuple[int, int]]:
    return [(one, other) for one, other in pairwise(numbers) if other > one + 1]


def members(text: str) -> set[int]:
    """Return the blocks that the ranges in ``text`` cover."""
    ends = [part.split("-") for part in text.split()]
    return {n for end in ends for n in range(int(end[0], 16), int(end[-1], 16) + 1)}


def key(*path: str) -> str:
    return "".join(f"{len(name)}:{name}" for name in path)


def tags(table: Table) -> list[Json]:
    """Return the tag of each active file, and check that the statistics do not contain it."""
    files = table.log.files.values()
    assert not any(TAG in (file["stats"] or {}) for file in files)
    return [json.loads(file["tags"][TAG]) for file in files]


def tag_mismatches(table: Table, *columns: str) -> list[str]:
    """Return every file and column whose tag does not match the rows of the file.

    With a deletion vector, a tag may list more blocks: those of the deleted rows.
    """
    file_name = F.element_at(F.split("_metadata.file_path", "/"), -1)
    rows = table.spark.read.format("delta").load(str(table.path))
    found = rows.select(file_name, *[F.expr(f"make_valid_utf8({name})") for name in columns])
    values: dict[str, list[tuple[str | None, ...]]] = {}
    for name, *row in found.collect():
        values.setdefault(name, []).append(tuple(row))
    problems = []
    for (path, file), tag in zip(table.log.files.items(), tags(table), strict=True):
        for place, column in enumerate(columns):
            actual = tag[key(*column.split("."))]
            expected = blocks(row[place] for row in values.get(path, []))
            missing = members(expected) - members(actual)
            if missing or (actual != expected and "deletionVector" not in file):
                problems.append(f"{path} {column}: {actual}, not {expected}")
    return problems


def one_file(table: Table, *values: str | None) -> Json:
    """Append the strings to the column ``name`` as one file and return its tag."""
    rows = table.spark.createDataFrame([(value,) for value in values], "name STRING")
    rows.coalesce(1).write.format("delta").mode("append").save(str(table.path))
    return tags(table)[-1]


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
def test_code_point_tag_matches_rows_after_write(
    people: Table, write: Callable[[Table], None]
) -> None:
    write(people)

    assert len(people.log.commits) > 3
    assert tag_mismatches(people, *PEOPLE) == []


def test_code_point_tag_matches_rows_of_rewritten_files(people: Table) -> None:
    people.sql("ALTER TABLE {t} SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')")
    people.sql("ALTER TABLE {t} SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')")
    people.sql("UPDATE {t} SET name = 'ÅSE' WHERE id = 3")
    people.sql("DELETE FROM {t} WHERE id = 4")
    stream(people)

    assert not any("deletionVector" in file for file in people.log.files.values())
    assert tag_mismatches(people, *PEOPLE) == []
    assert people.log.actions("cdc")


def test_code_point_tag_written_by_auto_compaction(people: Table) -> None:
    people.sql("ALTER TABLE {t} SET TBLPROPERTIES ('delta.autoOptimize.autoCompact' = 'true')")
    with setting(people.spark, "spark.databricks.delta.autoCompact.minNumFiles", "2"):
        people.insert("99, 'émile', struct('Zürich')")

    assert len(people.log.files) == 1
    assert tag_mismatches(people, *PEOPLE) == []


def test_code_point_tag_written_by_ctas(table: Table) -> None:
    table.sql("CREATE TABLE {t} USING delta AS SELECT 'bob' COLLATE UNICODE_CI AS name")

    assert tags(table) == [{key("name"): "6"}]


VALUES: dict[str, tuple[list[str | None], str]] = {
    "letters": (["Bob", "zoë"], "4 6-7 e"),
    "some nulls": ([None, "a", None], "6"),
    "only nulls": ([None, None], ""),
    "empty strings": (["", ""], ""),
    "control characters": (["\x00\t\n\x1f\x7f"], "0-1 7"),
    "emoji": (["🙂🇩🇪👩\u200d👩"], "200 1f1e 1f46 1f64"),
    "combining marks": (["e\u0301", "a\u0315\u0323"], "6 30-32"),
    "highest code points": (["\uffff\U0010ffff"], "fff 10fff"),
    "Han": (["日本語中文字"], "4e2 5b5 658 65e 672 8a9"),
    "one megabyte": (["é" * 524_288, "z" * 1_048_575 + "日"], "7 e 65e"),
}


@pytest.mark.parametrize(("values", "expected"), VALUES.values(), ids=VALUES.keys())
def test_code_point_tag_lists_blocks_of_16_code_points(
    table: Table, values: list[str | None], expected: str
) -> None:
    table.create("name STRING COLLATE UNICODE_CI")

    assert one_file(table, *values) == {key("name"): expected}
    assert tag_mismatches(table, "name") == []


def test_code_point_tag_has_at_most_32_ranges(table: Table) -> None:
    table.create("name STRING COLLATE UNICODE_CI")

    actual = one_file(table, *[chr(0x4E00 + 37 * n) for n in range(500)])[key("name")]

    assert len(actual.split()) <= 32
    assert len(members(actual)) < 0x520
    assert members(actual) >= {0x4E00 + 37 * n >> 4 for n in range(500)}


def test_code_point_tag_contains_replacement_character_for_malformed_utf8(table: Table) -> None:
    table.create("name STRING COLLATE UNICODE_CI, l STRING COLLATE UTF8_LCASE")
    table.sql(
        "INSERT INTO {t} SELECT /*+ COALESCE(1) */ CAST(b AS STRING), CAST(b AS STRING) FROM "
        "VALUES (X'ff61'), (X'61ff'), (X'e282'), (X'edA080'), (X'6263'), (X'f09f9982f09f') v(b)"
    )

    assert tags(table) == [{key("name"): "6 fff 1f64", key("l"): "6 fff 1f64"}]
    assert tag_mismatches(table, "name", "l") == []


@pytest.mark.parametrize("mode", ["name", "id"])
def test_code_point_tag_uses_physical_column_names(table: Table, mode: str) -> None:
    table.create(
        "name STRING COLLATE UNICODE_CI, home STRUCT<city: STRING COLLATE UNICODE_CI>",
        **{"delta.columnMapping.mode": mode},
    )
    table.sql("ALTER TABLE {t} RENAME COLUMN name TO who")
    table.sql("ALTER TABLE {t} RENAME COLUMN home.city TO town")
    table.insert("'Bob', struct('Oslo')")

    places = [("who",), ("home",), ("home", "town")]
    physical = "delta.columnMapping.physicalName"
    who, home, town = (table.log.field(*place)["metadata"][physical] for place in places)
    assert tags(table) == [{key(who): "4 6", key(home, town): "4 6-7"}]


def test_code_point_tag_allows_any_column_name(table: Table) -> None:
    names = [TAG, 'q"uo\\te', "4:x", "ä.ö", "日本"]
    table.create(", ".join(f"`{name}` STRING COLLATE UNICODE" for name in names))
    table.insert(", ".join(["'a'"] * len(names)))

    assert tags(table) == [{key(name): "6" for name in names}]
    (stats,) = table.log.stats
    assert stats["minValues"] == dict.fromkeys(names, "a")


def test_code_point_tag_absent_without_collated_columns(table: Table) -> None:
    table.create(f"a INT, `{TAG}` STRUCT<b: STRING>").insert("1, struct('x')")

    (file,) = table.log.files.values()
    assert not file.get("tags")
    assert file["stats"]["nullCount"] == {"a": 0, TAG: {"b": 0}}


def test_code_point_tag_omits_columns_without_bounds(table: Table) -> None:
    table.create(
        "a STRING COLLATE UNICODE, b STRING COLLATE UNICODE, c STRING COLLATE UNICODE_AI, d STRING",
        **{"delta.dataSkippingStatsColumns": "a,c,d"},
    ).insert("'x', 'y', 'z', 'd'")

    assert tags(table) == [{key("a"): "7", key("c"): "7"}]


def test_code_point_tag_absent_when_stats_are_disabled(table: Table) -> None:
    table.create("name STRING COLLATE UNICODE")
    with setting(table.spark, "spark.deltaCollations.stats.enabled", "false"):
        table.insert("'x'")

    (file,) = table.log.files.values()
    assert not file.get("tags")


def test_code_point_tag_absent_after_convert_to_delta(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "table"
    frame = spark.sql("SELECT 'bob' COLLATE UNICODE_CI AS name")
    frame.coalesce(1).write.parquet(str(path))
    spark.sql(f"CONVERT TO DELTA parquet.`{path}`")

    (file,) = Table(spark, path).log.files.values()
    assert TAG not in json.dumps(file)
    assert "statsWithCollation" in file["stats"]


def test_code_point_tag_keeps_tags_of_delta(table: Table) -> None:
    table.sql(
        "CREATE TABLE {t} (id INT, name STRING COLLATE UNICODE_CI) USING delta CLUSTER BY (id)"
    )
    table.insert("1, 'bob'").insert("2, 'zoë'")
    table.sql("OPTIMIZE {t}")

    (file,) = table.log.files.values()
    assert "ZCUBE_ID" in file["tags"]
    assert tag_mismatches(table, "name") == []


def test_code_point_tag_unchanged_by_deletion_vector_and_clone(people: Table) -> None:
    before = {path: file["tags"] for path, file in people.log.files.items()}

    people.sql("DELETE FROM {t} WHERE id = 3")
    clone = Table(people.spark, people.path.parent / "clone")
    people.sql(f"CREATE TABLE {clone.name} SHALLOW CLONE {{t}}")

    assert any("deletionVector" in file for file in people.log.files.values())
    for table in (people, clone):
        files = table.log.files
        assert {path.split("/")[-1]: file["tags"] for path, file in files.items()} == before


@pytest.mark.parametrize("policy", ["classic", "v2"])
def test_code_point_tag_survives_checkpoint(people: Table, policy: str) -> None:
    people.sql(f"ALTER TABLE {{t}} SET TBLPROPERTIES ('delta.checkpointPolicy' = '{policy}')")
    before = {path: file["tags"] for path, file in people.log.files.items()}
    write_checkpoint(people)

    # From now on, Delta reads the file actions from the checkpoint.
    people.sql("DELETE FROM {t} WHERE id IN (3, 12)")

    after = {path: file["tags"] for path, file in people.log.files.items()}
    assert after == before
    assert all("deletionVector" in file for file in people.log.files.values())


def test_code_point_tag_written_by_refresh(table: Table) -> None:
    with without_collated_stats(table.create(f"id INT, {COLLATED}")):
        insert_one_file(table, "1, 'bob'", "2, 'Åsa'", "3, NULL").insert("4, 'Zoë'")

    refresh(table)

    assert tag_mismatches(table, "name") == []
    commits = commit_count(table)
    refresh(table)
    assert commit_count(table) == commits


def test_refresh_keeps_other_tags_and_code_points_of_other_columns(
    spark: SparkSession, tmp_path: Path
) -> None:
    features = ["collations", "domainMetadata"]
    schema = [collated("name", "icu.UNICODE_CI"), collated("other", "icu.UNICODE")]
    path = ForeignTable(tmp_path / "t", schema, features).write(
        ({"name": ["bob", "日"], "other": ["x", "y"]}, None)
    )
    log = path / "_delta_log" / f"{0:020}.json"
    *lines, add = log.read_text().splitlines()
    action = json.loads(add)
    action["add"]["tags"] = {"theirs": "7", TAG: json.dumps({"3:old": "4", "4:name": "0-10fff"})}
    log.write_text("\n".join([*lines, json.dumps(action)]) + "\n")
    table = Table(spark, path)

    refresh(table)

    assert tags(table) == [{"3:old": "4", "4:name": "6 65e", "5:other": "7"}]
    (file,) = table.log.files.values()
    assert file["tags"]["theirs"] == "7"
