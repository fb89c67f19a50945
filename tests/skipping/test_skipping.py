# SPDX-License-Identifier: Apache-2.0
"""Filters on collated columns skip files that cannot match, and find every row."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from support.platforms import between
from support.scans import SKIPPING_ENABLED, Scan, scan, scans
from support.skipping_table import ALL_LETTERS, letters_of_scan, letters_read, write_files
from support.tables import Table, setting

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


# Predicates on collated columns, and the files that may match them.
MATCHES = [
    ("name = 'BERTA'", "A"),
    ("'dora' = name", "C"),
    ("name <=> 'ZOE'", "Y"),
    ("'zoe' <=> name", "Y"),
    ("name < 'B'", "A"),
    ("'B' > name", "A"),
    ("name <= 'ADAM'", "A"),
    ("name < 'ADAM'", ""),
    ("name > 'YVES'", "Y"),
    ("'x' <= name", "Y"),
    ("name > 'ZOE'", ""),
    (between("name", "'DO'", "'EZ'"), "CE"),
    (between("name", "'B'", "'YZ'", negation="NOT "), "AY"),
    ("name IN ('dora', 'FRIDA', 'nobody')", "CE"),
    (f"name IN ({', '.join(repr(f'nobody {n}') for n in range(300))}, 'ADAM', NULL)", "A"),
    ("name != 'GUSTAV'", "ACEY"),
    ("name NOT IN ('x', 'gustav')", "ACEY"),
    ("NOT (name > 'b')", "A"),
    ("NOT (name <=> 'GUSTAV')", "ACEGNY"),
    ("NOT (name > 'b' OR name IS NULL)", "A"),
    ("NOT (name > 'b' AND name < 'y')", "AY"),
    ("name = 'adam' OR ci = 'ZOE'", "AY"),
    ("name > 'b' AND ci < 'DORB'", "AC"),
    ("name = 'ADAM' AND contains(ci, 'd')", "A"),
    ("name = 'ADAM' OR contains(ci, 'd')", ALL_LETTERS),
    ("home.city = 'DORA'", "C"),
    ("home.owner.name >= 'Z'", "Y"),
    ("NAME = 'dora'", "C"),
    ("name = concat('DO', upper('ra'))", "C"),
    ("name = substr('xdora', 2)", "C"),
    ("name COLLATE UTF8_LCASE = 'DORA'", "C"),
    ("name = 'DORA' COLLATE UTF8_LCASE", "C"),
    ("name LIKE 'FR%'", "E"),
    ("startswith(name, 'Ca')", "C"),
    ("startswith(name, '')", "ACEGY"),
    ("lower(name) = 'dora'", "C"),
    ("upper(name) = 'DORA'", "C"),
    ("lower(name) IN ('dora', 'zoe')", "CY"),
    ("name ILIKE 'DORA'", "C"),
    ("ci = 'FRIDA' COLLATE UNICODE_CI", "E"),
    ("startswith(ci, 'DO')", "C"),
    ("startswith(ci, 'dör')", "C"),
    ("startswith(home.city, '')", "ACEGY"),
    ("vague = 'Dora'", "C"),
    ("vague <=> 'dora'", "C"),
    ("vague IN ('Dora', 'nobody')", "C"),
    ("vague < 'B'", "A"),
    ("NOT (vague < 'Yves')", "Y"),
    ("ci COLLATE UNICODE = 'Dora'", "C"),
    ("trim = 'Adam   '", "A"),
    ("trim >= 'carl '", "CEY"),
]  # fmt: skip

NULL_CHECKS = [("name IS NULL", "GN"), ("ci IS NOT NULL", "ACEGY"), ("home.city IS NULL", "GN")]

# Predicates that cannot use statistics, and the number of matching rows.
UNSUPPORTED = [
    ("contains(name, 'DOR')", 1),
    ("endswith(name, 'ORA')", 1),
    ("name LIKE '%ORA'", 1),
    ("name LIKE 'D_RA'", 1),
    ("vague != 'Dora'", 8),
    ("lower(ci) = 'dora'", 1),
    ("upper(ci) = 'DORA'", 1),
    ("name = ci COLLATE UTF8_LCASE", 9),
    ("name || '' = 'DORA'", 1),
]

# Predicates in collations without statistics.
WITHOUT_STATS = [
    "plain COLLATE UTF8_LCASE = 'DORA'",
    "name COLLATE UNICODE_CI = 'DORA'",
    "ci COLLATE de = 'x'",
]


@pytest.fixture(scope="module")
def outcomes(shared: Table) -> dict[str, Scan]:
    """Return what a query with each predicate of these tables reads."""
    predicates = [row[0] for row in (*MATCHES, *NULL_CHECKS, *UNSUPPORTED)] + WITHOUT_STATS
    queries = [f"SELECT * FROM {{t}} WHERE {predicate}" for predicate in predicates]
    return dict(zip(predicates, scans(shared, queries), strict=True))


@pytest.mark.parametrize(("predicate", "files"), MATCHES)
def test_skipping_reads_only_files_that_may_match(
    shared: Table, outcomes: dict[str, Scan], predicate: str, files: str
) -> None:
    found = outcomes[predicate]

    assert letters_of_scan(shared, found) == files
    assert {row[0] for row in found.rows} <= set(files)
    # Delta first skips files of nulls by their null counts, since a comparison implies IS NOT NULL.
    assert (found.by_partition, found.by_binary) in {(0, 0), (0, 1)}


@pytest.mark.parametrize(("predicate", "files"), NULL_CHECKS)
def test_skipping_by_null_count_ignores_collation(
    shared: Table, outcomes: dict[str, Scan], predicate: str, files: str
) -> None:
    found = outcomes[predicate]

    assert letters_of_scan(shared, found) == files
    assert (found.by_binary, found.by_collated) == (6 - len(files), 0)


@pytest.mark.parametrize("column", ["name", "ci", "trim", "vague", "home.city"])
def test_skipping_uses_binary_bounds_for_binary_filter(shared: Table, column: str) -> None:
    assert letters_read(shared, f"{column} COLLATE UTF8_BINARY = 'Dora'", rows=1) == "C"
    assert letters_read(shared, f"{column} COLLATE UTF8_BINARY < 'B'", rows=1) == "A"


@pytest.mark.parametrize("column", ["name", "ci", "vague", "home.city"])
def test_skipping_uses_bounds_of_column_for_binary_equality(shared: Table, column: str) -> None:
    # Only the files E and Y may contain 'dora' in binary order, and only C in the collation.
    assert letters_read(shared, f"{column} COLLATE UTF8_BINARY = 'dora'", rows=0) == ""


@pytest.mark.parametrize(("predicate", "rows"), UNSUPPORTED)
def test_skipping_reads_every_file_for_unsupported_predicate(
    shared: Table, outcomes: dict[str, Scan], predicate: str, rows: int
) -> None:
    found = outcomes[predicate]

    assert len(found.rows) == rows
    # Delta may still skip the file of nulls.
    assert letters_of_scan(shared, found) in {ALL_LETTERS, ALL_LETTERS.replace("N", "")}
    assert found.reasons == [f"predicate cannot use statistics: {len(found.files)}"]


@pytest.mark.parametrize("predicate", WITHOUT_STATS)
def test_skipping_reads_every_file_without_stats_of_filter_collation(
    shared: Table, outcomes: dict[str, Scan], predicate: str
) -> None:
    found = outcomes[predicate]

    assert letters_of_scan(shared, found) == ALL_LETTERS.replace("N", "")
    assert found.reasons == ["no statistics: 5"]


def test_skipping_on_binary_columns_is_unchanged(shared: Table) -> None:
    found = scan(shared, "SELECT * FROM {t} WHERE plain = 'Dora' AND name = 'DORA'")

    assert (letters_of_scan(shared, found), found.by_binary, found.by_collated) == ("C", 5, 0)
    found = scan(shared, "SELECT * FROM {t} WHERE plain > 'd' AND name < 'f'")
    assert (letters_of_scan(shared, found), found.by_binary, found.by_collated) == ("E", 4, 1)


def test_explain_reports_disabled_skipping(shared: Table) -> None:
    query = "EXPLAIN FORMATTED SELECT * FROM {t} WHERE name = 'DORA'"
    with setting(shared.spark, SKIPPING_ENABLED, "false"):
        [plan] = shared.column(query)
    assert "FilesInTable: 6\n" in plan
    assert "FilesPruned: 0 by partition, 1 by binary statistics, 0 by collated" in plan
    assert "FilesRead: 5 (skipping is disabled: 5)\n" in plan

    [plan] = shared.column(query)
    assert "FilesPruned: 0 by partition, 1 by binary statistics, 4 by collated" in plan
    assert "FilesRead: 1\n" in plan


def test_sql_metrics_show_outcome_of_files(shared: Table) -> None:
    frame = shared.sql("SELECT * FROM {t} WHERE name = 'DORA'")
    frame.collect()

    node = frame._jdf.queryExecution().executedPlan()  # noqa: SLF001
    while node.children().nonEmpty():
        node = node.children().head()
    metrics = node.metrics().values().toSeq()
    shown = {
        metric.name().get(): metric.value()
        for metric in (metrics.apply(number) for number in range(metrics.size()))
        if metric.name().get().startswith("number of files")
    }
    assert shown == {
        "number of files in the table": 6,
        "number of files pruned by partition": 0,
        "number of files pruned by binary statistics": 1,
        "number of files pruned by collated statistics": 4,
        "number of files read": 1,
    }


def test_skipping_applies_to_joins_limits_subqueries_and_counts(shared: Table) -> None:
    assert scan(shared, "SELECT name FROM {t} WHERE name = 'DORA' LIMIT 5").by_collated == 4
    assert scan(shared, "SELECT count(*) FROM {t} WHERE name < 'b'").rows == [(1,)]
    inner = "(SELECT ci AS other, file FROM {t})"
    assert scan(shared, f"SELECT file FROM {inner} WHERE other = 'ZOE'").rows == [("Y",)]
    joined = (
        "SELECT count(*) FROM {t} l JOIN {t} r ON l.file = r.file "
        "WHERE l.name = 'DORA' AND r.ci = 'CARL'"
    )
    assert shared.column(joined) == [1]
    assert shared.column("EXPLAIN FORMATTED " + joined)[0].count("FilesRead: 1\n") == 2


def test_parquet_receives_no_collated_filter(shared: Table) -> None:
    """Parquet row groups and pages have only binary bounds."""
    for column in ("name", "ci", "plain COLLATE UTF8_LCASE", "home.city"):
        query = f"SELECT * FROM {{t}} WHERE {column} = 'BERTA' AND {column} > 'ADAM'"
        assert len(scan(shared, query).rows) == 1
        [plan] = shared.column(f"EXPLAIN FORMATTED {query}")
        # Spark pushes CollatedEqualTo and the like, which Parquet ignores.
        assert re.findall(r"PushedFilters.*[ \[](EqualTo|GreaterThan)", plan) == []


PARTITION_LIKE_FILTERS = "spark.databricks.delta.skipping.partitionLikeFilters.enabled"

PARTITION_LIKE_THRESHOLD = "spark.databricks.delta.skipping.partitionLikeDataSkippingFilesThreshold"


def test_skipping_finds_every_row_of_clustered_table(table: Table) -> None:
    """Delta evaluates nearly any predicate on the bounds of a file that has a single value."""
    columns = "id INT, name STRING COLLATE UTF8_LCASE, plain STRING"
    table.sql(f"CREATE TABLE {{t}} ({columns}) USING delta CLUSTER BY (name, plain)")
    names = ["Bob", "zoe", "ZOE"]
    rows = [[(number, name, name)] for number, name in enumerate(names)]
    write_files(table, "id INT, name STRING, plain STRING", rows)

    with (
        setting(table.spark, PARTITION_LIKE_FILTERS, "true"),
        setting(table.spark, PARTITION_LIKE_THRESHOLD, "0"),
    ):
        assert scan(table, "SELECT id FROM {t} WHERE lower(plain) = 'zoe'").by_binary == 1
        for predicate in ("substr(name, 1, 1) = 'Z'", "name = 'ZoE'", "concat(name, '!') = 'Zoe!'"):
            assert scan(table, f"SELECT id FROM {{t}} WHERE {predicate}").rows == [(1,), (2,)]


UNUSUAL_STRINGS = [
    "",
    "\U0001f642",
    "\U0001f469\u200d\U0001f467",
    "é" * 524_288,
    "z" * 1_048_576,
    "a" * 100,
]


def test_skipping_finds_empty_long_and_emoji_strings(table: Table) -> None:
    table.create("id INT, name STRING COLLATE UTF8_LCASE, ci STRING COLLATE UNICODE_CI")
    rows = [[(number, text, text)] for number, text in enumerate(UNUSUAL_STRINGS)]
    write_files(table, "id INT, name STRING, ci STRING", rows)

    for column in ("name", "ci"):
        for number, text in enumerate(UNUSUAL_STRINGS):
            shown = f"repeat('{text[:1]}', {len(text)})" if len(text) > 9 else f"'{text}'"
            found = scan(table, f"SELECT id FROM {{t}} WHERE {column} = upper({shown})")
            assert found.rows == [(number,)]
            # A long string sorts next to its own prefix, so another file may still be read.
            assert found.by_collated >= 4


def test_skipping_finds_strings_that_differ_in_trailing_spaces(table: Table) -> None:
    table.create(
        "id INT, trim STRING COLLATE UTF8_BINARY_RTRIM, ci STRING COLLATE UNICODE_CI_RTRIM"
    )
    rows = [[(1, "a  ", "A  ")], [(2, "a", "á")], [(3, "a b", "b  ")]]
    write_files(table, "id INT, trim STRING, ci STRING", rows)

    found = scan(table, "SELECT id FROM {t} WHERE trim = 'a'")
    assert (found.rows, found.by_collated) == ([(1,), (2,)], 1)
    found = scan(table, "SELECT id FROM {t} WHERE ci = 'a '")
    assert (found.rows, found.by_collated) == ([(1,)], 2)


def test_partition_pruning_finds_every_spelling_of_collated_column(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = Table(spark, tmp_path / "table")
    rows = spark.sql(
        "SELECT id, p COLLATE UNICODE_CI AS p, p COLLATE UTF8_LCASE AS name "
        "FROM VALUES (1, 'a'), (2, 'A'), (3, 'b') AS v(id, p)"
    )
    rows.coalesce(1).write.format("delta").partitionBy("p").save(str(table.path))

    found = scan(table, "SELECT id FROM {t} WHERE p = 'A'")
    assert (found.rows, found.by_partition, found.by_collated) == ([(1,), (2,)], 1, 0)
    found = scan(table, "SELECT id FROM {t} WHERE p <= 'A' AND name = 'B'")
    assert (found.rows, found.by_partition, found.by_collated) == ([], 1, 2)
