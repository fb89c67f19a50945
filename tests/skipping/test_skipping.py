# SPDX-License-Identifier: Apache-2.0
"""Filters on collated columns read the files that may match, and find every row."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from support.platforms import OLD_ICU, between
from support.processes import conf_with_warnings, run_fresh
from support.scans import SWITCH, Scan, copy_of, rewrite_stats, scan
from support.tables import ForeignTable, Json, Table, collated, field, setting, write_checkpoint

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

FEATURES = ["appendOnly", "invariants", "domainMetadata", "collations"]

# One file each, by a letter to speak of it; every string column holds the same names.
NAMES: dict[str, list[str | None]] = {
    "A": ["Adam", "BERTA"],
    "C": ["carl", "Dora"],
    "E": ["emil", "FRIDA"],
    "G": ["Gustav", None],
    "N": [None, None],
    "Y": ["Yves", "zoe"],
}

EVERYWHERE = "".join(NAMES)


def write_files(table: Table, schema: str, files: list[list[tuple[Any, ...]]]) -> Table:
    """Append all rows in one commit, each list of equal length in a file of its own."""
    rows = [row for file in files for row in file]
    frame = table.spark.createDataFrame(rows, schema).coalesce(1)
    written = frame.write.format("delta").mode("append")
    written.option("maxRecordsPerFile", len(files[0])).save(str(table.path))
    return table


@pytest.fixture(scope="module")
def shared(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Table:
    """Return a table that no test may change."""
    table = Table(spark, tmp_path_factory.mktemp("shared") / "people")
    table.create(
        "file STRING, name STRING COLLATE UTF8_LCASE, ci STRING COLLATE UNICODE_CI, "
        "trim STRING COLLATE UTF8_BINARY_RTRIM, vague STRING COLLATE UNICODE_AI, plain STRING, "
        "home STRUCT<city: STRING COLLATE UNICODE_CI, "
        "owner: STRUCT<name: STRING COLLATE UTF8_LCASE>>",
        **{"delta.enableDeletionVectors": "true"},
    )
    return write_files(
        table,
        "file STRING, name STRING, ci STRING, trim STRING, vague STRING, plain STRING, "
        "home STRUCT<city: STRING, owner: STRUCT<name: STRING>>",
        [[(key, *[name] * 5, (name, (name,))) for name in names] for key, names in NAMES.items()],
    )


@pytest.fixture
def people(shared: Table, tmp_path: Path) -> Table:
    """Return a copy of it that a test may change."""
    return copy_of(shared, tmp_path / "people")


def letters(table: Table) -> dict[str, str]:
    """Return the letter of each file."""
    return {path: file["stats"]["minValues"]["file"] for path, file in table.log.files.items()}


def read(table: Table, found: Scan) -> str:
    """Return the letters of the files that were read."""
    return "".join(sorted(letters(table)[path] for path in found.files))


def where(table: Table, predicate: str, *, rows: int | None = None) -> str:
    """Return the letters of the files that a query reads; its twin must find the same rows."""
    found = scan(table, f"SELECT * FROM {{t}} WHERE {predicate}")
    assert rows is None or len(found.rows) == rows
    return read(table, found)


@pytest.mark.parametrize(
    ("predicate", "files"),
    [
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
        ("name = 'ADAM' OR contains(ci, 'd')", EVERYWHERE),
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
        ("trim = 'Adam   '", "A"),
        ("trim >= 'carl '", "CEY"),
    ],
)  # fmt: skip
def test_only_files_that_may_match_are_read(shared: Table, predicate: str, files: str) -> None:
    found = scan(shared, f"SELECT * FROM {{t}} WHERE {predicate}")

    assert read(shared, found) == files
    assert {row[0] for row in found.rows} <= set(files)
    # What is compared is not null, which Delta asks of the counts, before anything else.
    assert (found.by_partition, found.by_binary) in {(0, 0), (0, 1)}


@pytest.mark.parametrize(
    ("predicate", "files"),
    [("name IS NULL", "GN"), ("ci IS NOT NULL", "ACEGY"), ("home.city IS NULL", "GN")],
)
def test_nulls_are_counted_whatever_the_collation(
    shared: Table, predicate: str, files: str
) -> None:
    found = scan(shared, f"SELECT * FROM {{t}} WHERE {predicate}")

    assert read(shared, found) == files
    assert (found.by_binary, found.by_collated) == (6 - len(files), 0)


@pytest.mark.parametrize("column", ["name", "ci", "trim", "vague", "home.city"])
def test_a_filter_in_the_order_of_bytes_goes_by_bounds_in_that_order(
    shared: Table, column: str
) -> None:
    assert where(shared, f"{column} COLLATE UTF8_BINARY = 'Dora'", rows=1) == "C"
    assert where(shared, f"{column} COLLATE UTF8_BINARY < 'B'", rows=1) == "A"
    assert where(shared, f"{column} COLLATE UTF8_BINARY = 'dora'", rows=0) == "EY"


@pytest.mark.parametrize(
    ("predicate", "rows"),
    [
        ("startswith(ci, 'DO')", 1),
        ("contains(name, 'DOR')", 1),
        ("endswith(name, 'ORA')", 1),
        ("name LIKE '%ORA'", 1),
        ("name LIKE 'D_RA'", 1),
        ("vague = 'Dora'", 1),
        ("vague < 'B'", 1),
        ("lower(ci) = 'dora'", 1),
        ("upper(ci) = 'DORA'", 1),
        ("name = ci COLLATE UTF8_LCASE", 9),
        ("name || '' = 'DORA'", 1),
    ],
)
def test_what_statistics_cannot_answer_reads_every_file(
    shared: Table, predicate: str, rows: int
) -> None:
    found = scan(shared, f"SELECT * FROM {{t}} WHERE {predicate}")

    assert len(found.rows) == rows
    # Whatever it says, it is not said of null.
    assert read(shared, found) in {EVERYWHERE, EVERYWHERE.replace("N", "")}
    assert found.reasons == [f"{len(found.files)} as the predicate is not usable"]


@pytest.mark.parametrize(
    "predicate",
    [
        "plain COLLATE UTF8_LCASE = 'DORA'",
        "name COLLATE UNICODE_CI = 'DORA'",
        "ci COLLATE de = 'x'",
    ],
)
def test_without_statistics_of_the_filters_collation_every_file_is_read(
    shared: Table, predicate: str
) -> None:
    found = scan(shared, f"SELECT * FROM {{t}} WHERE {predicate}")

    assert read(shared, found) == EVERYWHERE.replace("N", "")
    assert found.reasons == ["5 without statistics"]


def test_plain_columns_are_skipped_by_delta_as_ever(shared: Table) -> None:
    found = scan(shared, "SELECT * FROM {t} WHERE plain = 'Dora' AND name = 'DORA'")

    assert (read(shared, found), found.by_binary, found.by_collated) == ("C", 5, 0)
    found = scan(shared, "SELECT * FROM {t} WHERE plain > 'd' AND name < 'f'")
    assert (read(shared, found), found.by_binary, found.by_collated) == ("E", 4, 1)


def test_switched_off_a_plan_says_so(shared: Table) -> None:
    said = "EXPLAIN FORMATTED SELECT * FROM {t} WHERE name = 'DORA'"
    with setting(shared.spark, SWITCH, "false"):
        [plan] = shared.column(said)
    assert "FilesInTable: 6\n" in plan
    assert "FilesPruned: 0 by partition, 1 by binary statistics, 0 by collated" in plan
    assert "FilesRead: 5, 5 as skipping is switched off\n" in plan

    [plan] = shared.column(said)
    assert "FilesPruned: 0 by partition, 1 by binary statistics, 4 by collated" in plan
    assert "FilesRead: 1\n" in plan


def test_the_sql_tab_shows_what_became_of_the_files(shared: Table) -> None:
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


def test_joins_limits_views_and_counts_skip_too(shared: Table) -> None:
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


def test_parquet_is_not_asked_to_compare_by_bytes(shared: Table) -> None:
    """Its row groups and pages have bounds of their own, in the order of bytes."""
    for column in ("name", "ci", "plain COLLATE UTF8_LCASE", "home.city"):
        query = f"SELECT * FROM {{t}} WHERE {column} = 'BERTA' AND {column} > 'ADAM'"
        assert len(scan(shared, query).rows) == 1
        [plan] = shared.column(f"EXPLAIN FORMATTED {query}")
        # Parquet passes over what says that it is collated.
        assert re.findall(r"PushedFilters.*[ \[](EqualTo|GreaterThan)", plan) == []


SMALLEST_AND_LARGEST = "SELECT min(name), max(name), min(ci), max(ci) FROM {t}"


ONE_VALUE = "spark.databricks.delta.skipping.partitionLikeFilters.enabled"
FEW_FILES = "spark.databricks.delta.skipping.partitionLikeDataSkippingFilesThreshold"


def test_a_table_clustered_by_a_collated_column_finds_every_row(table: Table) -> None:
    """Where a file of such a table holds one value only, Delta tries nearly any predicate on it."""
    columns = "id INT, name STRING COLLATE UTF8_LCASE, plain STRING"
    table.sql(f"CREATE TABLE {{t}} ({columns}) USING delta CLUSTER BY (name, plain)")
    names = ["Bob", "zoe", "ZOE"]
    rows = [[(number, name, name)] for number, name in enumerate(names)]
    write_files(table, "id INT, name STRING, plain STRING", rows)

    with setting(table.spark, ONE_VALUE, "true"), setting(table.spark, FEW_FILES, "0"):
        assert scan(table, "SELECT id FROM {t} WHERE lower(plain) = 'zoe'").by_binary == 1
        for predicate in ("substr(name, 1, 1) = 'Z'", "name = 'ZoE'", "concat(name, '!') = 'Zoe!'"):
            assert scan(table, f"SELECT id FROM {{t}} WHERE {predicate}").rows == [(1,), (2,)]


def test_smallest_and_largest_are_never_taken_from_bounds(people: Table) -> None:
    people.sql("DELETE FROM {t} WHERE name IN ('adam', 'ZOE')")

    assert people.rows(SMALLEST_AND_LARGEST) == [("BERTA", "Yves", "BERTA", "Yves")]
    assert {file["stats"]["tightBounds"] for file in people.log.files.values()} == {True, False}
    assert where(people, "name = 'ADAM'", rows=0) == "A"
    assert where(people, "name < 'CARL'", rows=1) == "A"


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
def test_after_a_checkpoint_files_are_still_skipped(
    people: Table, properties: dict[str, str]
) -> None:
    for key, value in properties.items():
        people.sql(f"ALTER TABLE {{t}} SET TBLPROPERTIES ('{key}' = '{value}')")
    write_checkpoint(people)

    assert where(people, "name = 'DORA'", rows=1) == "C"
    assert where(people, "home.city > 'x'", rows=2) == "Y"
    assert where(people, "name COLLATE UTF8_BINARY = 'Dora'", rows=1) == "C"


def without_the_others(table: Table, letter: str) -> None:
    """Take away all files but one, so that whoever reads another one fails."""
    for path, key in letters(table).items():
        if key != letter:
            (table.path / path).unlink()


MERGE = "MERGE INTO {t} t USING (SELECT 'C' AS file, 'dora' COLLATE UTF8_LCASE AS name) s "

STATEMENTS = {
    "delete": ("DELETE FROM {t} WHERE name = 'DORA'", ["carl"]),
    "delete by files": ("DELETE FROM {t} WHERE name = 'DORA'", ["carl"]),
    "update": (
        "UPDATE {t} SET name = 'x' WHERE " + between("ci", "'d'", "'DZ'"),
        ["carl", "x"],
    ),
    "merge": (
        MERGE + "ON t.name = s.name AND t.name = 'DORA' WHEN MATCHED THEN UPDATE SET name = 'x'",
        ["carl", "x"],
    ),
    "merge by files": (
        MERGE + "ON t.file = s.file AND t.ci = 'DORA' WHEN MATCHED THEN DELETE",
        ["carl"],
    ),
}


@pytest.mark.parametrize("case", STATEMENTS)
def test_statements_that_change_rows_read_only_what_may_match(people: Table, case: str) -> None:
    statement, left = STATEMENTS[case]
    vectors = "false" if case.endswith("files") else "true"
    people.sql(f"ALTER TABLE {{t}} SET TBLPROPERTIES ('delta.enableDeletionVectors' = '{vectors}')")
    without_the_others(people, "C")
    with setting(people.spark, SWITCH, "false"), pytest.raises(Exception, match="FAILED_READ_FILE"):
        people.sql(statement)

    people.sql(statement)

    near = between("name", "'c'", "'dz'")
    rest = f"SELECT name FROM {{t}} WHERE ({near}) OR name = 'x' ORDER BY name"
    assert people.column(rest) == left


def test_replace_where_reads_only_what_may_match(people: Table) -> None:
    without_the_others(people, "C")
    rows = people.sql("SELECT 'C' AS file, 'DORIS' AS name")

    def replace() -> None:
        written = rows.write.format("delta").mode("overwrite")
        written.option("replaceWhere", "name >= 'd' AND name <= 'DZ'").save(str(people.path))

    with setting(people.spark, SWITCH, "false"), pytest.raises(Exception, match="FAILED_READ_FILE"):
        replace()
    replace()
    assert people.column("SELECT name FROM {t} WHERE " + between("name", "'c'", "'dz'")) == [
        "carl",
        "DORIS",
    ]


def test_older_versions_are_skipped_by_their_own_schema(people: Table) -> None:
    people.sql("ALTER TABLE {t} ALTER COLUMN name TYPE STRING COLLATE UNICODE_CI")
    people.sql("DELETE FROM {t} WHERE file = 'C'")

    found = scan(people, "SELECT file FROM {t} VERSION AS OF 1 WHERE name = 'DORA'")
    assert (found.rows, found.in_table, len(found.files)) == ([("C",)], 6, 1)
    assert scan(people, "SELECT file FROM {t} WHERE name = 'DORA'").rows == []


def test_a_changed_collation_leaves_the_old_bounds_to_filters_in_the_old_one(
    people: Table,
) -> None:
    people.sql("ALTER TABLE {t} ALTER COLUMN name TYPE STRING COLLATE UNICODE_CI")

    assert where(people, "name = 'DORA'", rows=1) == EVERYWHERE.replace("N", "")
    assert where(people, "name COLLATE UTF8_LCASE = 'DORA'", rows=1) == "C"
    people.sql("INSERT INTO {t} (name) VALUES ('new')")
    found = scan(people, "SELECT name FROM {t} WHERE name = 'DORA'")
    assert (found.by_collated, found.reasons) == (1, ["5 without statistics"])


def test_a_shallow_clone_is_skipped_too(people: Table, tmp_path: Path) -> None:
    clone = Table(people.spark, tmp_path / "clone")
    clone.sql(f"CREATE TABLE {{t}} SHALLOW CLONE {people.name}")

    found = scan(clone, "SELECT file FROM {t} WHERE name = 'DORA'")
    assert (found.rows, len(found.files), found.by_collated) == ([("C",)], 1, 4)


def test_a_stream_finds_every_row(shared: Table) -> None:
    frame = shared.spark.readStream.format("delta").load(str(shared.path)).where("name > 'Y'")
    query = frame.writeStream.format("memory").queryName("streamed")
    query.trigger(availableNow=True).start().awaitTermination()

    assert sorted(row["name"] for row in shared.spark.table("streamed").collect()) == [
        "Yves",
        "zoe",
    ]


@pytest.mark.parametrize("mode", ["name", "id"])
def test_a_renamed_column_is_skipped_and_a_new_one_has_no_old_bounds(
    table: Table, mode: str
) -> None:
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
    assert (found.rows, found.by_collated, found.reasons) == ([], 1, ["2 without statistics"])


STRANGE = [
    "",
    "\U0001f642",
    "\U0001f469\u200d\U0001f467",
    "é" * 524_288,
    "z" * 1_048_576,
    "a" * 100,
]


def test_empty_and_very_long_strings_and_emoji_are_found(table: Table) -> None:
    table.create("id INT, name STRING COLLATE UTF8_LCASE, ci STRING COLLATE UNICODE_CI")
    rows = [[(number, text, text)] for number, text in enumerate(STRANGE)]
    write_files(table, "id INT, name STRING, ci STRING", rows)

    for column in ("name", "ci"):
        for number, text in enumerate(STRANGE):
            shown = f"repeat('{text[:1]}', {len(text)})" if len(text) > 9 else f"'{text}'"
            found = scan(table, f"SELECT id FROM {{t}} WHERE {column} = upper({shown})")
            assert found.rows == [(number,)]
            # A long string sorts beside its own prefix, so another file may still be read.
            assert found.by_collated >= 4


def test_equal_strings_that_differ_in_trailing_spaces_are_found(table: Table) -> None:
    table.create(
        "id INT, trim STRING COLLATE UTF8_BINARY_RTRIM, ci STRING COLLATE UNICODE_CI_RTRIM"
    )
    rows = [[(1, "a  ", "A  ")], [(2, "a", "á")], [(3, "a b", "b  ")]]
    write_files(table, "id INT, trim STRING, ci STRING", rows)

    found = scan(table, "SELECT id FROM {t} WHERE trim = 'a'")
    assert (found.rows, found.by_collated) == ([(1,), (2,)], 1)
    found = scan(table, "SELECT id FROM {t} WHERE ci = 'a '")
    assert (found.rows, found.by_collated) == ([(1,)], 2)


def test_a_collated_partition_column_finds_every_spelling(
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


# --- what others wrote ---------------------------------------------------------------------------


def bounds(key: str, low: Any = "yak", high: Any = "zebra") -> Json:  # noqa: ANN401
    return {key: {"minValues": {"name": low}, "maxValues": {"name": high}}}


def other_statistics(version: str) -> dict[str, tuple[Json | str | None, bool]]:
    """Return statistics that say there is no ``alpha``, and whether they are to be believed."""
    own = f"spark.UTF8_LCASE.{version}"
    counts: Json = {"numRecords": 1, "nullCount": {"name": 0}}

    def stats(collations: Any, **more: Any) -> Json:  # noqa: ANN401
        return counts | more | {"statsWithCollation": collations}

    return {
        "exactly this collation and version": (stats(bounds(own)), True),
        "provider in other letters": (stats(bounds(f"SPARK.UTF8_LCASE.{version}")), True),
        "name in other letters": (stats(bounds(f"spark.utf8_lcase.{version}")), True),
        "beside wrong ones of another version": (
            stats(bounds("spark.UTF8_LCASE.1.0", "alpha", "alpha") | bounds(own)),
            True,
        ),
        "only nulls": ({"numRecords": 1, "nullCount": {"name": 1}}, True),
        "only nulls, of another version": (
            stats(bounds(f"spark.UTF8_LCASE.{OLD_ICU}"), nullCount={"name": 1}),
            True,
        ),
        "an older version": (stats(bounds("spark.UTF8_LCASE.75.1")), False),
        "a newer version": (stats(bounds("spark.UTF8_LCASE.99.1")), False),
        "an absurd version": (stats(bounds("spark.UTF8_LCASE.1.0")), False),
        "a longer version": (stats(bounds(own + ".0")), False),
        "a shorter version": (stats(bounds(own.rpartition(".")[0])), False),
        "a version and a space": (stats(bounds(own + " ")), False),
        "a space and a version": (stats(bounds(f"spark.UTF8_LCASE. {version}")), False),
        "no version": (stats(bounds("spark.UTF8_LCASE")), False),
        "another collation": (stats(bounds(f"icu.UNICODE_CI.{version}")), False),
        "another provider": (stats(bounds(f"icu.UTF8_LCASE.{version}")), False),
        "a longer name": (stats(bounds(f"spark.UTF8_LCASE_RTRIM.{version}")), False),
        "two spellings that disagree": (
            stats(bounds(own) | bounds(f"SPARK.UTF8_LCASE.{version}", "alpha", "alpha")),
            False,
        ),
        "bytes only": (
            stats({}, minValues={"name": "yak"}, maxValues={"name": "zebra"}),
            False,
        ),
        "none": (None, False),
        "a count only": ({"numRecords": 1}, False),
        "no collations": (counts, False),
        "empty collations": (stats({}), False),
        "collations that are null": (stats(None), False),
        "collations that are a list": (stats(["x"]), False),
        "collations that are a text": (stats("x"), False),
        "an empty key": (stats({own: {}}), False),
        "a key that is null": (stats({own: None}), False),
        "minimum without maximum": (stats({own: {"minValues": {"name": "yak"}}}), False),
        "maximum without minimum": (stats({own: {"maxValues": {"name": "aaa"}}}), False),
        "a bound that is null": (stats(bounds(own, high=None)), False),
        "a bound that is a number": (stats(bounds(own, 7, 8)), False),
        "a bound that is a list": (stats(bounds(own, ["yak"], ["zebra"])), False),
        "a bound that is an object": (stats(bounds(own, {"name": "yak"})), False),
        "minimum above maximum": (stats(bounds(own, "zebra", "yak")), False),
        "bounds that are no object": (stats({own: {"minValues": "yak", "maxValues": "z"}}), False),
        "no JSON": ("{broken", False),
        "half of it": (json.dumps(stats(bounds(own)))[:-4], False),
        "an empty text": ("", False),
        "another JSON": ("[1]", False),
    }  # fmt: skip


@pytest.fixture(scope="module")
def others(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, version: str) -> Table:
    """Return a table with one ``alpha`` in each file, and statistics that all say otherwise."""
    schema = [field("id", "integer"), collated("name", "spark.UTF8_LCASE")]
    foreign = ForeignTable(tmp_path_factory.mktemp("others") / "table", schema, FEATURES)
    cases = list(other_statistics(version).values())
    files = [
        ({"id": pa.array([n], pa.int32()), "name": ["alpha"]}, {"case": n})
        for n in range(len(cases))
    ]
    table = Table(spark, foreign.write(*files))
    return rewrite_stats(table, lambda _, stats: cases[stats["case"]][0])


@pytest.mark.parametrize("form", ["as written", "in a checkpoint", "parsed in a checkpoint"])
def test_statistics_count_only_under_the_very_collation_and_version(
    others: Table, tmp_path: Path, version: str, form: str
) -> None:
    cases = other_statistics(version)
    if form != "as written":
        others = copy_of(others, tmp_path / "table")
        json_too = "true" if form == "in a checkpoint" else "false"
        kept = f"'delta.checkpoint.writeStatsAsJson' = '{json_too}'"
        others.sql(f"ALTER TABLE {{t}} SET TBLPROPERTIES ({kept})")
        write_checkpoint(others)

    with setting(others.spark, SWITCH, "false"):
        everything = sorted(others.column("SELECT id FROM {t} WHERE name = 'ALPHA'"))
    found = sorted(others.column("SELECT id FROM {t} WHERE name = 'ALPHA'"))

    # Delta leaves out a file of nulls by itself, since what is equal to something is not null.
    nulls = [n for n, name in enumerate(cases) if name.startswith("only nulls")]
    assert everything == [n for n in range(len(cases)) if n not in nulls]
    names = list(cases)
    assert [names[n] for n in found] == [name for name, (_, counts) in cases.items() if not counts]


def test_a_plan_says_why_files_are_read(others: Table, version: str) -> None:
    cases = other_statistics(version)
    of_another_version = 7
    disagreeing = ["two spellings that disagree", "minimum above maximum"]
    read = [name for name, (_, counts) in cases.items() if not counts]
    without = len(read) - of_another_version - len(disagreeing)

    [plan] = others.column("EXPLAIN FORMATTED SELECT * FROM {t} WHERE name = 'ALPHA'")

    assert f"FilesInTable: {len(cases)}\n" in plan
    assert (
        f"FilesRead: {len(read)}, {without} without statistics, "
        f"{of_another_version} with statistics of another version\n" in plan
    )


def test_bounds_of_a_plain_column_that_others_wrote_serve_a_filter_in_their_collation(
    spark: SparkSession, tmp_path: Path, version: str
) -> None:
    keys = [{}, bounds(f"spark.UTF8_LCASE.{version}"), bounds("spark.UTF8_LCASE.75.1")]
    files = [({"name": ["alpha"]}, {"numRecords": 1, "statsWithCollation": key}) for key in keys]
    foreign = ForeignTable(tmp_path / "table", [field("name", "string")], FEATURES)
    table = Table(spark, foreign.write(*files))

    found = _both(table, "SELECT name FROM {t} WHERE name COLLATE UTF8_LCASE = 'ALPHA'")
    assert found == (2, 3)
    assert _both(table, "SELECT name FROM {t} WHERE name COLLATE UNICODE_CI = 'ALPHA'") == (3, 3)
    assert _both(table, "SELECT name FROM {t} WHERE name = 'alpha'") == (3, 3)


def _both(table: Table, query: str) -> tuple[int, int]:
    """Return how many rows are found with skipping and without, where statistics lie."""
    found = len(table.rows(query))
    with setting(table.spark, SWITCH, "false"):
        return found, len(table.rows(query))


def test_bounds_in_the_order_of_bytes_lose_no_row(spark: SparkSession, tmp_path: Path) -> None:
    stats = {"numRecords": 3, "minValues": {"name": "B"}, "maxValues": {"name": "c"}}
    schema = [collated("name", "spark.UTF8_LCASE")]
    foreign = ForeignTable(tmp_path / "table", schema, FEATURES)
    table = Table(spark, foreign.write(({"name": ["B", "a", "c"]}, stats)))

    for predicate in ("name = 'A'", "startswith(name, 'A')", "name < 'b'", "name IN ('A', 'x')"):
        assert scan(table, f"SELECT name FROM {{t}} WHERE {predicate}").rows == [("a",)]


def test_a_table_of_databricks_is_read_right_and_its_older_bounds_are_not_used(
    spark: SparkSession, tmp_path: Path
) -> None:
    schema = [field("id", "integer"), collated("name", "icu.UNICODE_CI")]
    names = ["Müller", "adam", "Zoë"]

    def file(number: int, name: str) -> tuple[Json, Json]:
        low = {"id": number, "name": name}
        key = {"minValues": {"name": name}, "maxValues": {"name": name}}
        stats = {
            "numRecords": 1, "minValues": low, "maxValues": low, "nullCount": {"id": 0, "name": 0},
            "tightBounds": True, "statsWithCollation": {"icu.UNICODE_CI.75.1": key},
        }  # fmt: skip
        return {"id": pa.array([number], pa.int32()), "name": [name]}, stats

    features = ["deletionVectors", "collations", "domainMetadata", "invariants", "appendOnly"]
    foreign = ForeignTable(tmp_path / "table", schema, features, ["deletionVectors"])
    table = Table(spark, foreign.write(*(file(*row) for row in enumerate(names))))

    found = scan(table, "SELECT id FROM {t} WHERE name = 'MÜLLER'")
    assert (found.rows, len(found.files)) == ([(0,)], 3)
    assert found.reasons == ["3 with statistics of another version"]
    table.sql("ANALYZE TABLE {t} COMPUTE DELTA STATISTICS")
    found = scan(table, "SELECT id FROM {t} WHERE name = 'MÜLLER'")
    assert (found.rows, len(found.files), found.by_collated) == ([(0,)], 1, 2)


def test_statistics_of_another_version_are_told_once_for_a_table_and_session(
    others: Table, tmp_path: Path
) -> None:
    said = run_fresh(
        """
        import os, sys
        os.dup2(1, 2)
        from delta_collations import configure_spark_with_collations
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[1]")
        builder = builder.config("spark.sql.shuffle.partitions", "1")
        builder = builder.config("spark.databricks.delta.snapshotPartitions", "1")
        spark = configure_spark_with_collations(builder).getOrCreate()
        for session in (spark, spark.newSession()):
            for name in ("ALPHA", "BETA"):
                query = f"SELECT * FROM delta.`{sys.argv[1]}` WHERE name = '{name}'"
                session.sql(query).collect()
        """,
        others.path,
        SPARK_CONF_DIR=conf_with_warnings(tmp_path / "conf"),
    )

    warnings = [line for line in said.splitlines() if "statistics are of another version" in line]
    assert len(warnings) == 2
    assert f"ANALYZE TABLE delta.`file:{others.path}` COMPUTE DELTA STATISTICS" in warnings[0]
