# SPDX-License-Identifier: Apache-2.0
"""Statistics of other writers are used only for their collation and version."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from support.platforms import OLD_ICU
from support.processes import conf_dir_with_warnings, run_in_new_process
from support.scans import SKIPPING_ENABLED, copy_table, rewrite_stats, scan
from support.tables import ForeignTable, Json, Table, collated, field, setting, write_checkpoint

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


FEATURES = ["appendOnly", "invariants", "domainMetadata", "collations"]


def bounds(key: str, low: Any = "yak", high: Any = "zebra") -> Json:  # noqa: ANN401
    return {key: {"minValues": {"name": low}, "maxValues": {"name": high}}}


def foreign_stats(version: str) -> dict[str, tuple[Json | str | None, bool]]:
    """Return statistics that exclude ``alpha``, and whether skipping must use them."""
    own = f"spark.UTF8_LCASE.{version}"
    counts: Json = {"numRecords": 1, "nullCount": {"name": 0}}

    def stats(collations: Any, **more: Any) -> Json:  # noqa: ANN401
        return counts | more | {"statsWithCollation": collations}

    return {
        "same collation and version": (stats(bounds(own)), True),
        "provider in another case": (stats(bounds(f"SPARK.UTF8_LCASE.{version}")), True),
        "name in another case": (stats(bounds(f"spark.utf8_lcase.{version}")), True),
        "next to wrong bounds of another version": (
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
        "a very old version": (stats(bounds("spark.UTF8_LCASE.1.0")), False),
        "a longer version": (stats(bounds(own + ".0")), False),
        "a shorter version": (stats(bounds(own.rpartition(".")[0])), False),
        "a version with a trailing space": (stats(bounds(own + " ")), False),
        "a version with a leading space": (stats(bounds(f"spark.UTF8_LCASE. {version}")), False),
        "no version": (stats(bounds("spark.UTF8_LCASE")), False),
        "another collation": (stats(bounds(f"icu.UNICODE_CI.{version}")), False),
        "another provider": (stats(bounds(f"icu.UTF8_LCASE.{version}")), False),
        "a longer name": (stats(bounds(f"spark.UTF8_LCASE_RTRIM.{version}")), False),
        "two spellings that disagree": (
            stats(bounds(own) | bounds(f"SPARK.UTF8_LCASE.{version}", "alpha", "alpha")),
            False,
        ),
        "only binary bounds": (
            stats({}, minValues={"name": "yak"}, maxValues={"name": "zebra"}),
            False,
        ),
        "no statistics": (None, False),
        "only a row count": ({"numRecords": 1}, False),
        "no collations": (counts, False),
        "empty collations": (stats({}), False),
        "collations that are null": (stats(None), False),
        "collations that are a list": (stats(["x"]), False),
        "collations that are a string": (stats("x"), False),
        "an empty key": (stats({own: {}}), False),
        "a key that is null": (stats({own: None}), False),
        "minimum without maximum": (stats({own: {"minValues": {"name": "yak"}}}), False),
        "maximum without minimum": (stats({own: {"maxValues": {"name": "aaa"}}}), False),
        "a bound that is null": (stats(bounds(own, high=None)), False),
        "a bound that is a number": (stats(bounds(own, 7, 8)), False),
        "a bound that is a list": (stats(bounds(own, ["yak"], ["zebra"])), False),
        "a bound that is an object": (stats(bounds(own, {"name": "yak"})), False),
        "minimum above maximum": (stats(bounds(own, "zebra", "yak")), False),
        "bounds that are a string": (stats({own: {"minValues": "yak", "maxValues": "z"}}), False),
        "invalid JSON": ("{broken", False),
        "truncated JSON": (json.dumps(stats(bounds(own)))[:-4], False),
        "an empty string": ("", False),
        "JSON that is not an object": ("[1]", False),
    }  # fmt: skip


@pytest.fixture(scope="module")
def foreign_table(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, version: str
) -> Table:
    """Return a table with ``alpha`` in each file, and statistics that all exclude it."""
    schema = [field("id", "integer"), collated("name", "spark.UTF8_LCASE")]
    foreign = ForeignTable(tmp_path_factory.mktemp("others") / "table", schema, FEATURES)
    cases = list(foreign_stats(version).values())
    files = [
        ({"id": pa.array([n], pa.int32()), "name": ["alpha"]}, {"case": n})
        for n in range(len(cases))
    ]
    table = Table(spark, foreign.write(*files))
    return rewrite_stats(table, lambda _, stats: cases[stats["case"]][0])


@pytest.mark.parametrize("form", ["in commits", "in a checkpoint", "parsed in a checkpoint"])
def test_skipping_uses_foreign_stats_only_of_same_collation_and_version(
    foreign_table: Table, tmp_path: Path, version: str, form: str
) -> None:
    cases = foreign_stats(version)
    if form != "in commits":
        foreign_table = copy_table(foreign_table, tmp_path / "table")
        json_too = "true" if form == "in a checkpoint" else "false"
        checkpoint_format = f"'delta.checkpoint.writeStatsAsJson' = '{json_too}'"
        foreign_table.sql(f"ALTER TABLE {{t}} SET TBLPROPERTIES ({checkpoint_format})")
        write_checkpoint(foreign_table)

    with setting(foreign_table.spark, SKIPPING_ENABLED, "false"):
        without_skipping = sorted(foreign_table.column("SELECT id FROM {t} WHERE name = 'ALPHA'"))
    found = sorted(foreign_table.column("SELECT id FROM {t} WHERE name = 'ALPHA'"))

    # Stock Delta skips files of nulls, since an equality implies IS NOT NULL.
    nulls = [n for n, name in enumerate(cases) if name.startswith("only nulls")]
    assert without_skipping == [n for n in range(len(cases)) if n not in nulls]
    names = list(cases)
    assert [names[n] for n in found] == [
        name for name, (_, is_used) in cases.items() if not is_used
    ]


def test_explain_reports_why_files_are_read(foreign_table: Table, version: str) -> None:
    cases = foreign_stats(version)
    other_version = 7
    disagreeing = ["two spellings that disagree", "minimum above maximum"]
    read = [name for name, (_, is_used) in cases.items() if not is_used]
    without = len(read) - other_version - len(disagreeing)

    [plan] = foreign_table.column("EXPLAIN FORMATTED SELECT * FROM {t} WHERE name = 'ALPHA'")

    assert f"FilesInTable: {len(cases)}\n" in plan
    assert (
        f"FilesRead: {len(read)} (no statistics: {without}, "
        f"statistics of another ICU version: {other_version})\n" in plan
    )


def test_skipping_uses_foreign_bounds_of_binary_column_in_their_collation(
    spark: SparkSession, tmp_path: Path, version: str
) -> None:
    keys = [{}, bounds(f"spark.UTF8_LCASE.{version}"), bounds("spark.UTF8_LCASE.75.1")]
    files = [({"name": ["alpha"]}, {"numRecords": 1, "statsWithCollation": key}) for key in keys]
    foreign = ForeignTable(tmp_path / "table", [field("name", "string")], FEATURES)
    table = Table(spark, foreign.write(*files))

    found = _row_counts(table, "SELECT name FROM {t} WHERE name COLLATE UTF8_LCASE = 'ALPHA'")
    assert found == (2, 3)
    found = _row_counts(table, "SELECT name FROM {t} WHERE name COLLATE UNICODE_CI = 'ALPHA'")
    assert found == (3, 3)
    assert _row_counts(table, "SELECT name FROM {t} WHERE name = 'alpha'") == (3, 3)


def _row_counts(table: Table, query: str) -> tuple[int, int]:
    """Return how many rows a query finds with and without skipping; wrong bounds lose rows."""
    found = len(table.rows(query))
    with setting(table.spark, SKIPPING_ENABLED, "false"):
        return found, len(table.rows(query))


def test_skipping_loses_no_row_with_foreign_binary_bounds(
    spark: SparkSession, tmp_path: Path
) -> None:
    stats = {"numRecords": 3, "minValues": {"name": "B"}, "maxValues": {"name": "c"}}
    schema = [collated("name", "spark.UTF8_LCASE")]
    foreign = ForeignTable(tmp_path / "table", schema, FEATURES)
    table = Table(spark, foreign.write(({"name": ["B", "a", "c"]}, stats)))

    for predicate in ("name = 'A'", "startswith(name, 'A')", "name < 'b'", "name IN ('A', 'x')"):
        assert scan(table, f"SELECT name FROM {{t}} WHERE {predicate}").rows == [("a",)]


def test_skipping_ignores_older_bounds_of_databricks_table(
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
    assert found.reasons == ["statistics of another ICU version: 3"]
    table.sql("ANALYZE TABLE {t} COMPUTE DELTA STATISTICS")
    found = scan(table, "SELECT id FROM {t} WHERE name = 'MÜLLER'")
    assert (found.rows, len(found.files), found.by_collated) == ([(0,)], 1, 2)


def test_stale_stats_warning_logged_once_per_table_and_session(
    foreign_table: Table, tmp_path: Path
) -> None:
    output = run_in_new_process(
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
        foreign_table.path,
        SPARK_CONF_DIR=conf_dir_with_warnings(tmp_path / "conf"),
    )

    warnings = [
        line for line in output.splitlines() if "were written by another ICU version" in line
    ]
    assert len(warnings) == 2
    path = f"file:{foreign_table.path}"
    assert f"ANALYZE TABLE delta.`{path}` COMPUTE DELTA STATISTICS" in warnings[0]
