# SPDX-License-Identifier: Apache-2.0
"""MERGE reads only the files of its target that may contain a key of its source.

Files that must not be read are missing while a statement runs, so that it fails if it reads them.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from support.scans import copy_table
from support.tables import Table, setting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

MERGE_KEYS_ENABLED = "spark.deltaCollations.skipping.mergeKeys.enabled"

FILES = 6
LETTERS = "abcdef"

COLUMNS = (
    "id INT, big BIGINT, day DATE, price DECIMAL(10, 2), plain STRING, "
    "ci STRING COLLATE UNICODE_CI, "
    "vague STRING COLLATE UNICODE_AI, thai STRING COLLATE th, home STRUCT<city: STRING COLLATE sv>"
)

UPDATE = "WHEN MATCHED THEN UPDATE SET id = -t.id"
DELETE = "WHEN MATCHED THEN DELETE"
INSERT = "WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)"


@pytest.fixture(scope="module")
def original(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Table:
    """Return a table of six files with two rows each, whose keys start with one letter per file."""
    table = Table(spark, tmp_path_factory.mktemp("original") / "table").create(COLUMNS)
    rows = ", ".join(
        f"({number}, {number}L, DATE '2000-01-01' + {number}, CAST({number} AS DECIMAL(10, 2)), "
        f"'{name}', '{name}', '{name}', '{name}', named_struct('city', '{name}'))"
        for number, name in enumerate(
            f"{letter}{end}" for letter in LETTERS for end in ("ab", "xy")
        )
    )
    frame = table.spark.sql(f"SELECT * FROM VALUES {rows}").toDF(
        "id", "big", "day", "price", "plain", "ci", "vague", "thai", "home"
    )
    written = frame.coalesce(1).write.format("delta").mode("append")
    written.option("maxRecordsPerFile", 2).save(str(table.path))
    assert len(table.log.files) == FILES
    return table


@pytest.fixture
def target(original: Table, tmp_path: Path) -> Table:
    """Return a copy of the table that a test may change."""
    return copy_table(original, tmp_path / "target")


@pytest.fixture(scope="module")
def two_names(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a source with the two rows of one file, and nulls."""
    path = tmp_path_factory.mktemp("source") / "table"
    return source_of(spark, path, "(4, 'CAB')", "(5, 'cxy')", "(NULL, NULL)")


@contextmanager
def only_file(table: Table, letters: str, folder: Path) -> Iterator[None]:
    """Hide all files but those of the letters while the block runs."""
    hidden = {}
    for path, file in table.log.files.items():
        if file["stats"]["minValues"]["plain"][0] not in letters:
            hidden[path] = (table.path / path).rename(folder / path)
    assert len(hidden) == FILES - len(letters)
    try:
        yield
    finally:
        for path, place in hidden.items():
            place.rename(table.path / path)


def source_of(spark: SparkSession, path: Path, *rows: str, columns: str = "id, name") -> str:
    """Return the name of a Delta table with these rows, which Delta does not materialize."""
    frame = spark.sql(f"SELECT * FROM VALUES {', '.join(rows)} AS v({columns})")
    frame.write.format("delta").save(str(path))
    return f"delta.`{path}`"


@pytest.fixture(scope="module")
def joined(original: Table, two_names: str) -> Callable[[str], list[tuple[Any, ...]]]:
    """Return a function that joins target and source, once for each condition."""

    @cache
    def rows(condition: str) -> list[tuple[Any, ...]]:
        source = f"(SELECT *, true AS in_source FROM {two_names})"
        return original.rows(
            f"SELECT t.id, ci, in_source, s.id FROM {{t}} t FULL JOIN {source} s ON {condition}"
        )

    return rows


def merged(joined: list[tuple[Any, ...]], clause: str) -> list[tuple[Any, ...]]:
    """Return the rows of the target after a statement that finds all matches."""
    rows: list[tuple[Any, ...]] = []
    for target_id, name, in_source, source_id in joined:
        if target_id is None:
            rows += [(source_id, None)] if INSERT in clause else []
        elif not in_source:
            rows.append((target_id, name))
        elif DELETE not in clause:
            rows.append((-target_id if UPDATE in clause else target_id, name))
    return sorted(rows, key=str)


@pytest.mark.parametrize("clause", [UPDATE, DELETE, f"{UPDATE} {INSERT}", INSERT])
@pytest.mark.parametrize(
    "condition",
    [
        "t.ci = s.name",
        "s.name = t.ci",
        "t.ci = s.name AND t.id >= 0",
        "t.plain = lower(s.name)",
        "t.vague = concat('c', 'ab') AND t.ci = s.name",
        "t.thai = lower(s.name)",
        "t.home.city = lower(s.name)",
        "t.id = s.id",
        "t.big = s.id",
        "t.day = DATE '2000-01-01' + s.id",
        "t.price = CAST(s.id AS DECIMAL(10, 2))",
        "t.id = s.id AND t.ci = s.name",
    ],
)
def test_merge_reads_only_files_with_key_of_source(
    target: Table,
    two_names: str,
    joined: Callable[[str], list[tuple[Any, ...]]],
    condition: str,
    clause: str,
) -> None:
    with only_file(target, "c", target.path.parent):
        target.sql(f"MERGE INTO {{t}} t USING {two_names} s ON {condition} {clause}")

    found = sorted(target.rows("SELECT id, ci FROM {t}"), key=str)
    assert found == merged(joined(condition), clause)
    assert len(found) != 2 * FILES or UPDATE in clause


def merged_without_pruning(
    target: Table, folder: Path, source: str, condition: str, clause: str
) -> list[tuple[int, str]]:
    """Return the rows of a copy of the target after the same statement without our predicates."""
    copy = copy_table(target, folder / "copy")
    with setting(target.spark, MERGE_KEYS_ENABLED, "false"):
        copy.sql(f"MERGE INTO {{t}} t USING {source} s ON {condition} {clause}")
    return sorted(copy.rows("SELECT id, ci FROM {t}"), key=str)


def test_merge_reads_only_files_with_key_of_materialized_source(
    target: Table, tmp_path: Path
) -> None:
    source = "(SELECT id, name FROM VALUES (4, 'CAB'), (6, 'Dab') AS v(id, name))"

    with only_file(target, "cd", tmp_path):
        target.sql(f"MERGE INTO {{t}} t USING {source} s ON t.ci = s.name {UPDATE} {INSERT}")

    assert sorted(target.column("SELECT id FROM {t} WHERE id < 0")) == [-6, -4]


def test_merge_reads_files_between_keys_of_large_source(
    spark: SparkSession, target: Table, tmp_path: Path
) -> None:
    # Two thousand different names, from "c0" to "d999".
    names = spark.range(2000).selectExpr(
        "1 AS id", "concat(IF(id < 1000, 'C', 'd'), id % 1000) AS name"
    )
    names.createOrReplaceTempView("many_names")
    spark.sql("SELECT 1 AS id, 'CAB' AS name UNION ALL TABLE many_names").createOrReplaceTempView(
        "source_names"
    )

    with only_file(target, "cd", tmp_path):
        target.sql(f"MERGE INTO {{t}} t USING source_names s ON t.ci = s.name {UPDATE}")

    assert target.column("SELECT id FROM {t} WHERE id < 0") == [-4]


def test_merge_without_keys_reads_no_file(
    spark: SparkSession, target: Table, tmp_path: Path
) -> None:
    source = source_of(spark, tmp_path / "source", "(1, CAST(NULL AS STRING))")

    with only_file(target, "", tmp_path):
        target.sql(f"MERGE INTO {{t}} t USING {source} s ON t.ci = s.name {UPDATE}")
        target.sql(f"MERGE INTO {{t}} t USING {source} s ON t.ci = s.name {UPDATE} {INSERT}")

    assert target.column("SELECT count(*) FROM {t}") == [2 * FILES + 1]


@pytest.mark.parametrize(
    ("condition", "clause"),
    [
        ("t.ci <=> s.name", UPDATE),
        ("t.ci = s.name OR t.id = 0", UPDATE),
        ("t.ci > s.name", UPDATE),
        ("CAST(t.id AS DOUBLE) = CAST(s.id AS DOUBLE)", UPDATE),
        ("t.ci = s.name", f"{UPDATE} WHEN NOT MATCHED BY SOURCE THEN UPDATE SET id = 0"),
    ],
)
def test_merge_reads_all_files_when_keys_do_not_decide(
    spark: SparkSession, target: Table, tmp_path: Path, condition: str, clause: str
) -> None:
    source = source_of(spark, tmp_path / "source", "(4, 'CAB')")
    expected = merged_without_pruning(target, tmp_path, source, condition, clause)

    with only_file(target, "c", tmp_path), pytest.raises(Exception, match="FILE_NOT"):
        target.sql(f"MERGE INTO {{t}} t USING {source} s ON {condition} {clause}")
    target.sql(f"MERGE INTO {{t}} t USING {source} s ON {condition} {clause}")

    assert sorted(target.rows("SELECT id, ci FROM {t}"), key=str) == expected


def test_merge_reads_all_files_when_disabled(
    spark: SparkSession, target: Table, tmp_path: Path
) -> None:
    source = source_of(spark, tmp_path / "source", "(4, 'CAB')")

    with (
        setting(spark, MERGE_KEYS_ENABLED, "false"),
        only_file(target, "c", tmp_path),
        pytest.raises(Exception, match="FILE_NOT"),
    ):
        target.sql(f"MERGE INTO {{t}} t USING {source} s ON t.ci = s.name {UPDATE}")


def test_insert_only_merge_reads_all_files_when_source_may_change(
    target: Table, tmp_path: Path
) -> None:
    # Delta reads the source of such a statement once, and does not materialize it.
    # The second name has no match, so that Delta searches all files for it.
    name = "concat(IF(id = 0, 'CA', 'no'), IF(rand() < 2, 'B', 'x'))"
    source = f"(SELECT CAST(id AS INT) AS id, {name} AS name FROM range(2))"

    with only_file(target, "c", tmp_path), pytest.raises(Exception, match="FILE_NOT"):
        target.sql(f"MERGE INTO {{t}} t USING {source} s ON t.ci = s.name {INSERT}")


def test_merge_of_plain_keys_reads_files_in_range_of_their_ascii_prefixes(
    spark: SparkSession, table: Table, tmp_path: Path
) -> None:
    table.create("id INT, name STRING")
    for number, name in enumerate(("Zaë", "Zoë", "Zoö", "Zpä")):
        table.insert(f"{number}, '{name}'")
    source = source_of(spark, tmp_path / "source", "(1, 'Zoë')")
    outside = [
        path for path, file in table.log.files.items() if file["stats"]["minValues"]["id"] in (0, 3)
    ]
    for path in outside:
        (table.path / path).rename(tmp_path / path)

    table.sql(f"MERGE INTO {{t}} t USING {source} s ON t.name = s.name {UPDATE}")

    for path in outside:
        (tmp_path / path).rename(table.path / path)
    assert sorted(table.column("SELECT id FROM {t}")) == [-1, 0, 2, 3]


def test_malformed_key_finds_its_row(spark: SparkSession, table: Table, tmp_path: Path) -> None:
    table.create("id INT, name STRING")
    table.sql("INSERT INTO {t} VALUES (1, CAST(X'61ff' AS STRING))")
    table.sql("INSERT INTO {t} VALUES (2, 'b')")
    frame = spark.sql("SELECT CAST(X'61ff' AS STRING) AS name")
    frame.write.format("delta").save(str(tmp_path / "source"))

    source = f"delta.`{tmp_path / 'source'}`"
    table.sql(f"MERGE INTO {{t}} t USING {source} s ON t.name = s.name {UPDATE}")

    assert sorted(table.column("SELECT id FROM {t}")) == [-1, 2]
