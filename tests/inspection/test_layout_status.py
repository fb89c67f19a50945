# SPDX-License-Identifier: Apache-2.0
"""``collation_status`` estimates how many files a lookup reads, and names OPTIMIZE statements."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from support.log_builder import add, commit
from support.refresh import without_collated_stats
from support.tables import Table, clear_log_cache, setting

if TYPE_CHECKING:
    from collections.abc import Iterable

FILES = 24
WORDS = ["anna", "Émile", "emil", "Zoë", "zoe", "öl", "Ol", "ÅSA", "asa", "tim", "Tim", "ßen"]
MAX_FILE_SIZE = "spark.databricks.delta.optimize.maxFileSize"


def status(table: Table) -> dict[str, tuple[Any, ...]]:
    """Return share, status and command of each column."""
    rows = table.rows(
        "SELECT column, lookup_share, status, command FROM collation_status('{t}') WHERE is_current"
    )
    return {column: tuple(rest) for column, *rest in rows}


def write(table: Table, names: Iterable[str | None], files: int = FILES) -> Table:
    """Append names in random order."""
    rows = [(number, name) for number, name in enumerate(names)]
    random.Random(5).shuffle(rows)  # noqa: S311
    frame = table.spark.createDataFrame(rows, "id INT, name STRING").repartition(files)
    frame.write.format("delta").mode("append").save(str(table.path))
    return table


def names(count: int = 480) -> list[str]:
    return [f"{WORDS[number % len(WORDS)]} {number}" for number in range(count)]


@pytest.mark.parametrize("clause", ["", "CLUSTER BY (name)"])
def test_status_names_statement_that_lays_files_out(table: Table, clause: str) -> None:
    table.sql(f"CREATE TABLE {{t}} (id INT, name STRING COLLATE UNICODE_CI) USING delta {clause}")
    write(table, names())

    share, text, command = status(table)["name"]

    assert share > 0.9
    assert text == f"overlapping: a lookup reads up to {round(share * 100)} % of the files"
    assert command == f"OPTIMIZE {table.name} " + ("FULL" if clause else "ZORDER BY (name)")
    with setting(table.spark, MAX_FILE_SIZE, "1000"):
        table.spark.sql(command)
    files = len(table.log.files)
    assert files >= 20
    share, *rest = status(table)["name"]
    assert share == pytest.approx(1 / files, abs=0.5 / files)
    assert rest == ["healthy", None]


def test_lookup_share_is_about_share_of_files_that_lookups_read(table: Table) -> None:
    table.create("id INT, name STRING COLLATE UNICODE_CI_AI")
    chance = random.Random(6)  # noqa: S311
    for start in range(FILES):
        rows = [f"{start + chance.randrange(9):02d} {chance.choice(WORDS)}" for _ in range(8)]
        write(table, rows, files=1)

    [(share, *_)] = status(table).values()

    values = table.column("SELECT name FROM {t} WHERE id % 3 = 0")
    read = sum(
        len(table.sql(f"SELECT * FROM {{t}} WHERE name = '{value}'").inputFiles())
        for value in values
    )
    average = read / len(values) / FILES
    assert average - 0.02 < share < average * 1.5


def test_files_without_bounds_count_as_read(table: Table) -> None:
    table.create("id INT, name STRING COLLATE UNICODE_CI")
    for number in range(12):
        write(table, [f"{number:02d}"], files=1)
    with without_collated_stats(table):
        write(table, [f"{number:02d}" for number in range(12)], files=12)

    [(share, text, command)] = status(table).values()

    files = len(table.log.files)
    assert share == pytest.approx((1 + files - 12) / files)
    assert text.startswith("partial: ")
    assert command.startswith("ANALYZE TABLE")


def test_overlap_of_small_table_is_not_reported(table: Table) -> None:
    table.create("id INT, name STRING COLLATE UNICODE_CI")
    write(table, names(), files=19)

    assert status(table) == {"name": (None, "healthy", None)}


def test_overlap_within_each_partition_counts(table: Table) -> None:
    table.sql(
        "CREATE TABLE {t} (id INT, part STRING, name STRING COLLATE UNICODE_CI) USING delta "
        "PARTITIONED BY (part)"
    )
    frame = table.spark.createDataFrame(
        [(number, f"p{number % 3}", f"{number % 3} {name}") for number, name in enumerate(names())],
        "id INT, part STRING, name STRING",
    )
    frame.repartition(22, "id").write.format("delta").mode("append").save(str(table.path))

    share, text, command = status(table)["name"]

    # Names of different partitions do not overlap.
    assert share > 0.9
    assert text.startswith("overlapping: ")
    assert command == f"OPTIMIZE {table.name} ZORDER BY (name)"


def test_partitions_with_few_files_are_not_reported(table: Table) -> None:
    table.sql(
        "CREATE TABLE {t} (part INT, name STRING COLLATE UNICODE_CI) USING delta "
        "PARTITIONED BY (part)"
    )
    rows = [(part, f"{WORDS[number]}") for part in range(30) for number in range(8)]
    frame = table.spark.createDataFrame(rows, "part INT, name STRING").repartition(2)
    frame.write.format("delta").mode("append").save(str(table.path))

    share, *rest = status(table)["name"]

    assert share > 0.7
    assert rest == ["healthy", None]


def test_files_of_few_values_are_not_reported_when_sorted(table: Table) -> None:
    table.create("id INT, name STRING COLLATE UNICODE_CI")
    for number in range(FILES):
        low, high = "N" if number < FILES - 4 else "Y", "n" if number < FILES - 5 else "y"
        write(table, [low, high], files=1)

    share, *rest = status(table)["name"]

    assert share > 0.6
    assert rest == ["healthy", None]


def test_command_ignores_other_clustering_columns_and_quotes_names(table: Table) -> None:
    table.sql(
        "CREATE TABLE {t} (id INT, name STRING COLLATE UNICODE_CI, "
        "home STRUCT<`a-b`: STRING COLLATE de>) USING delta"
    )
    rows = [(number, name, (name,)) for number, name in enumerate(names())]
    random.Random(5).shuffle(rows)  # noqa: S311
    schema = "id INT, name STRING, home STRUCT<`a-b`: STRING>"
    frame = table.spark.createDataFrame(rows, schema).repartition(FILES)
    frame.write.format("delta").mode("append").save(str(table.path))
    command = status(table)["home.`a-b`"][2]
    assert command == f"OPTIMIZE {table.name} ZORDER BY (home.`a-b`)"

    table.sql("ALTER TABLE {t} CLUSTER BY (name)")

    assert status(table)["home.`a-b`"][1:] == ("healthy", None)
    assert status(table)["name"][2] == f"OPTIMIZE {table.name} FULL"


def test_layout_of_many_files_is_estimated(table: Table, version: str) -> None:
    table.create("name STRING COLLATE UNICODE_CI")
    overlapping = 0.3

    def file(number: int) -> Any:  # noqa: ANN401
        low = number / 5000 * (1 - overlapping)
        bounds = {
            "minValues": {"name": f"x{low:.6f}"},
            "maxValues": {"name": f"x{low + overlapping:.6f}"},
        }
        stats = {"numRecords": 1, "statsWithCollation": {f"icu.UNICODE_CI.{version}": bounds}}
        action = add(f"f{number}", stats)
        action["add"]["modificationTime"] = 1
        return action

    path = commit(table.path, 1, *map(file, range(5000)))
    clear_log_cache(table)

    share, text, _ = status(table)["name"]

    # Each range has values that are in 0.3 / 0.7 of all ranges.
    assert share == pytest.approx(0.43, abs=0.04)
    assert text == "healthy"
    path.unlink()
    clear_log_cache(table)
