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
        others = copy_table(others, tmp_path / "table")
        json_too = "true" if form == "in a checkpoint" else "false"
        kept = f"'delta.checkpoint.writeStatsAsJson' = '{json_too}'"
        others.sql(f"ALTER TABLE {{t}} SET TBLPROPERTIES ({kept})")
        write_checkpoint(others)

    with setting(others.spark, SKIPPING_ENABLED, "false"):
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
        f"FilesRead: {len(read)} (no statistics: {without}, "
        f"statistics of another ICU version: {of_another_version})\n" in plan
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
    with setting(table.spark, SKIPPING_ENABLED, "false"):
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
    assert found.reasons == ["statistics of another ICU version: 3"]
    table.sql("ANALYZE TABLE {t} COMPUTE DELTA STATISTICS")
    found = scan(table, "SELECT id FROM {t} WHERE name = 'MÜLLER'")
    assert (found.rows, len(found.files), found.by_collated) == ([(0,)], 1, 2)


def test_statistics_of_another_version_are_told_once_for_a_table_and_session(
    others: Table, tmp_path: Path
) -> None:
    said = run_in_new_process(
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
        SPARK_CONF_DIR=conf_dir_with_warnings(tmp_path / "conf"),
    )

    warnings = [line for line in said.splitlines() if "statistics are of another version" in line]
    assert len(warnings) == 2
    assert f"ANALYZE TABLE delta.`file:{others.path}` COMPUTE DELTA STATISTICS" in warnings[0]
