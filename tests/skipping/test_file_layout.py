# SPDX-License-Identifier: Apache-2.0
"""OPTIMIZE lays files out in the order of collations, so that lookups read few of them."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql.classic.column import Column
from support.random_strings import random_string, random_variant
from support.tables import Table, setting, values_outside_bounds, without_codegen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

SPEED_LAYOUT = "spark.deltaCollations.speed.layout.enabled"
MAX_FILE_SIZE = "spark.databricks.delta.optimize.maxFileSize"

CLUSTERED_BY = "deltaCollations.clusteredBy"
CODE_POINTS = "deltaCollations.codePoints"

FILES = 16
ROWS = 480

# The collation of a column, and that of its bounds.
COLLATIONS = {
    "UNICODE_CI": "UNICODE_CI",
    "UNICODE": "UNICODE",
    "UNICODE_AI": "UNICODE_CI_AI",
    "th": "th_CI_AI",
    "sv_CI_AI": "sv_CI_AI",
    "UTF8_LCASE": "UTF8_LCASE",
    "UNICODE_CI_RTRIM": "UNICODE_CI_RTRIM",
    "UTF8_BINARY_RTRIM": "UTF8_BINARY_RTRIM",
}

WORDS = ["anna", "Émile", "emil", "Zoë", "zoe", "öl", "Ol", "ÅSA", "asa", "tim", "Tim", "ßen",
         "กา", "เกา", "ขา", "แมว"]  # fmt: skip


def names() -> list[str | None]:
    """Return different names, in many orders by different collations, and some nulls."""
    chance = random.Random(3)  # noqa: S311
    found = [
        f"{chance.choice(WORDS)}{chance.choice(['', 'b', 'É'])}{chance.choice(WORDS)}{number % 97}"
        for number in range(ROWS)
    ]
    return [None if chance.random() < 0.05 else name for name in found]


def make_table(table: Table, name: str, clause: str = "") -> Table:
    """Create a table in which each file has names from the whole range."""
    table.sql(
        f"CREATE TABLE {{t}} (id INT, name {name}, home STRUCT<city: {name}>, plain STRING) "
        f"USING delta {clause}"
    )
    other = names()
    random.Random(4).shuffle(other)  # noqa: S311
    rows = [
        (number, name, (name,), plain)
        for number, (name, plain) in enumerate(zip(names(), other, strict=True))
    ]
    schema = "id INT, name STRING, home STRUCT<city: STRING>, plain STRING"
    frame = table.spark.createDataFrame(rows, schema).repartition(FILES, "id")
    frame.write.format("delta").mode("append").save(str(table.path))
    return table


@pytest.fixture(autouse=True)
def small_files(spark: SparkSession) -> Iterator[None]:
    """Let OPTIMIZE write about as many files as it reads."""
    with setting(spark, MAX_FILE_SIZE, "2000"), without_codegen(spark):
        yield


def contents(table: Table) -> list[Any]:
    return sorted(table.rows("SELECT id, hex(name), hex(home.city), hex(plain) FROM {t}"))


def overlaps(table: Table, column: str, collation: str) -> int:
    """Return the number of pairs of files with more than one value in common."""
    files = (
        f"(SELECT path, collate(min, '{collation}') AS low, collate(max, '{collation}') AS high "
        f"FROM collation_files('{{t}}', '{column}'))"
    )
    [pairs] = table.column(
        f"SELECT count(*) FROM {files} a JOIN {files} b "
        "ON a.path < b.path AND a.low < b.high AND b.low < a.high"
    )
    return int(pairs)


def files_read(table: Table, column: str) -> float:
    """Return how many files a lookup reads on average. Each of them finds a row."""
    values = [name for name in names() if name][:: ROWS // 4]
    files = 0
    for value in values:
        frame = table.sql(f"SELECT id FROM {{t}} WHERE {column} = '{value}'")
        files += len(frame.inputFiles())
        assert frame.collect()
    return files / len(values)


def assert_statistics_survive(table: Table, collation: str) -> None:
    """Check the bounds and the tags of all files."""
    assert values_outside_bounds(table) == []
    for file in table.log.files.values():
        has_values = file["stats"]["nullCount"]["name"] < file["stats"]["numRecords"]
        keys = [key.split(".")[1] for key in file["stats"].get("statsWithCollation", {})]
        assert keys == ([collation] if has_values else [])
        assert CODE_POINTS in file["tags"]


@pytest.mark.parametrize(
    ("collation", "column"),
    [*((name, "name") for name in COLLATIONS), ("UNICODE_CI", "home.city")],
)
def test_zorder_lays_files_out_in_order_of_collation(
    table: Table, collation: str, column: str
) -> None:
    make_table(table, f"STRING COLLATE {collation}")
    rows = contents(table)
    assert files_read(table, column) > FILES * 0.7

    table.sql(f"OPTIMIZE {{t}} ZORDER BY ({column})")

    assert len(table.log.files) > FILES / 2
    assert overlaps(table, column, COLLATIONS[collation]) == 0
    assert files_read(table, column) < 2
    assert contents(table) == rows
    assert_statistics_survive(table, COLLATIONS[collation])


@pytest.mark.parametrize("collation", ["UNICODE_AI", "UTF8_LCASE"])
def test_optimize_lays_clustered_files_out_in_order_of_collation(
    table: Table, collation: str
) -> None:
    make_table(table, f"STRING COLLATE {collation}", "CLUSTER BY (name)")
    rows = contents(table)

    table.sql("OPTIMIZE {t}")

    assert overlaps(table, "name", COLLATIONS[collation]) == 0
    assert files_read(table, "name") < 2
    assert contents(table) == rows
    assert_statistics_survive(table, COLLATIONS[collation])
    assert {file["tags"][CLUSTERED_BY] for file in table.log.files.values()} == {
        f"4:name={'spark' if collation == 'UTF8_LCASE' else 'icu'}.{collation}"
    }


@pytest.mark.parametrize("statement", ["ZORDER BY", "CLUSTER BY"])
def test_collated_column_is_laid_out_next_to_plain_column(table: Table, statement: str) -> None:
    columns = "(name, plain)"
    is_clustered = statement == "CLUSTER BY"
    make_table(
        table,
        "STRING COLLATE UNICODE_CI",
        f"CLUSTER BY {columns}" if is_clustered else "",
    )
    rows = contents(table)

    table.sql("OPTIMIZE {t}" + ("" if is_clustered else f" ZORDER BY {columns}"))

    files = len(table.log.files)
    assert files_read(table, "name") < files * 0.6
    assert files_read(table, "plain") < files * 0.6
    assert contents(table) == rows
    assert_statistics_survive(table, "UNICODE_CI")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("STRING", "STRING COLLATE UNICODE_CI"),
        ("STRING COLLATE UNICODE_CI", "STRING COLLATE sv_CI_AI"),
        ("STRING COLLATE UNICODE_CI", "STRING COLLATE UTF8_BINARY"),
    ],
)
def test_optimize_full_lays_files_out_again_after_collation_changed(
    table: Table, before: str, after: str
) -> None:
    make_table(table, before, "CLUSTER BY (name)").sql("OPTIMIZE {t}")
    rows = contents(table)
    table.sql(f"ALTER TABLE {{t}} ALTER COLUMN name TYPE {after}")
    table.sql("ANALYZE TABLE {t} COMPUTE DELTA STATISTICS")
    files = set(table.log.files)

    table.sql("OPTIMIZE {t}")
    assert set(table.log.files) == files
    table.sql("OPTIMIZE {t} FULL")
    assert not files & set(table.log.files)

    assert contents(table) == rows
    assert files_read(table, "name") < 2
    tags = {file["tags"].get(CLUSTERED_BY) for file in table.log.files.values()}
    collation = after.removeprefix("STRING COLLATE ")
    if collation == "UTF8_BINARY":
        assert tags == {None}
    else:
        assert tags == {f"4:name=icu.{collation}"}
        assert overlaps(table, "name", collation) == 0
    laid_out = set(table.log.files)
    table.sql("OPTIMIZE {t} FULL")
    assert set(table.log.files) == laid_out


def test_optimize_full_of_plain_table_is_unchanged(table: Table) -> None:
    make_table(table, "STRING", "CLUSTER BY (name)").sql("OPTIMIZE {t} FULL")
    files = set(table.log.files)

    table.sql("OPTIMIZE {t} FULL")
    assert set(table.log.files) == files
    table.insert("-1, 'x', NULL, 'y'").sql("OPTIMIZE {t} FULL")

    assert not files & set(table.log.files)
    assert all(CLUSTERED_BY not in (file["tags"] or {}) for file in table.log.files.values())


def test_removed_files_keep_their_tags_when_laid_out_again(table: Table) -> None:
    make_table(table, "STRING COLLATE UNICODE_CI", "CLUSTER BY (name)").sql("OPTIMIZE {t}")
    tags = {path: file["tags"] for path, file in table.log.files.items()}
    table.sql("ALTER TABLE {t} ALTER COLUMN name TYPE STRING COLLATE de")

    table.sql("OPTIMIZE {t} FULL")

    removed = {each["path"]: each["tags"] for each in table.log.actions("remove")}
    assert {path: removed[path] for path in tags} == tags


@pytest.mark.parametrize(
    "collation",
    ["UNICODE_CI", "UNICODE", "UNICODE_CI_AI", "UTF8_LCASE", "UNICODE_CI_AI_RTRIM", "da", "hu_CI",
     "ja", "zh_Hans_CHN", "UTF8_LCASE_RTRIM"],
)  # fmt: skip
def test_range_ids_by_sort_key_are_those_of_comparator(spark: SparkSession, collation: str) -> None:
    chance = random.Random(9)  # noqa: S311
    roots = [random_string(chance) for _ in range(80)]
    words = [random_variant(chance, chance.choice(roots)) for _ in range(500)]
    rows = [(number, word) for number, word in enumerate([*words, None, None, ""])]
    frame = spark.createDataFrame(rows, "id INT, word STRING")
    by_key = range_ids(frame, collation)

    with setting(spark, SPEED_LAYOUT, "false"):
        by_comparator = range_ids(frame, collation)

    assert by_key == by_comparator
    assert len(set(by_key.values())) > 10


@pytest.mark.parametrize("collation", ["UNICODE_AI", "th", "fr_CAN"])
def test_range_ids_have_order_of_bounds_when_collation_is_not_total_order(
    spark: SparkSession, collation: str
) -> None:
    coarser = f"{collation.removesuffix('_AI')}_CI_AI"
    chance = random.Random(9)  # noqa: S311
    roots = [random_string(chance) for _ in range(80)]
    words = [random_variant(chance, chance.choice(roots)) for _ in range(500)]
    frame = spark.createDataFrame(list(enumerate(words)), "id INT, word STRING")

    assert range_ids(frame, collation) == range_ids(frame, coarser)


def range_ids(frame: Any, collation: str) -> dict[int, int]:  # noqa: ANN401
    """Return the range of each row, as Delta computes them for OPTIMIZE."""
    jvm = frame.sparkSession._jvm  # noqa: SLF001
    collated = frame.selectExpr("id", f"collate(word, '{collation}') AS word")
    functions = jvm.org.apache.spark.sql.delta.skipping.MultiDimClusteringFunctions
    ids = Column(functions.range_partition_id(collated["word"]._jc, 40))  # noqa: SLF001
    return {row[0]: row[1] for row in collated.select("id", ids).collect()}


def test_files_are_laid_out_without_sort_keys(table: Table) -> None:
    make_table(table, "STRING COLLATE UNICODE_CI")
    rows = contents(table)

    with setting(table.spark, SPEED_LAYOUT, "false"):
        table.sql("OPTIMIZE {t} ZORDER BY (name)")

    assert overlaps(table, "name", "UNICODE_CI") == 0
    assert contents(table) == rows
