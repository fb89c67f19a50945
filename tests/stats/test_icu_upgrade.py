# SPDX-License-Identifier: Apache-2.0
"""Statistics survive an ICU upgrade: a refresh relabels bounds that are proven to hold."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from support.icu_upgrade import (
    CHANGED_CHARACTER,
    ICU_JARS,
    ICU_VERSIONS,
    PREVIOUS_ICU,
    RELABEL_ENABLED,
    icu_jar,
    remove_code_point_tags,
    set_stats_version,
    stats_versions,
    unreadable_data_files,
)
from support.random_strings import SEED, random_string, sql_literal
from support.refresh import NOTHING_REFRESHED, commit_count, insert_one_file, refresh
from support.scans import rewrite_stats, scan, scans
from support.skipping_table import write_files
from support.tables import Json, Table, setting

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ["'Anna'", "'Mia'", "'Zoë'", "'Łukasz'"]


@pytest.fixture
def before(version: str) -> str:
    """Return the ICU version that wrote the table before the upgrade."""
    return PREVIOUS_ICU[version]


@pytest.fixture
def affected(version: str) -> str:
    """Return a character that the two versions order differently."""
    found = CHANGED_CHARACTER[version]
    if found is None:
        pytest.skip(f"nothing changed from {PREVIOUS_ICU[version]} to {version}")
    return found


def people(table: Table, *names: str, columns: str = "name STRING COLLATE UNICODE_CI") -> Table:
    """Create a table with a file for each name."""
    table.create(columns)
    with setting(table.spark, "spark.sql.files.maxRecordsPerFile", "1"):
        return insert_one_file(table, *names)


def status(table: Table) -> Json:
    [row] = table.sql("SELECT * FROM collation_status('{t}') WHERE is_current").collect()
    return dict(row.asDict())


def files_read(table: Table, name: str) -> int:
    return len(scan(table, f"SELECT * FROM {{t}} WHERE name = '{name}'").files)


def test_refresh_relabels_bounds_without_reading_data_files(
    table: Table, version: str, before: str
) -> None:
    set_stats_version(people(table, *NAMES), before, version)
    assert files_read(table, "ZOË") == len(NAMES)
    reported = status(table)
    assert reported["status"] == f"stale: written by ICU {before}, current is {version}"
    assert (reported["files_to_relabel"], reported["files_to_read"], reported["bytes_to_read"]) == (
        4,
        0,
        0,
    )

    with unreadable_data_files(table):
        done = refresh(table)

    assert done == {
        "files_checked": 4,
        "files_refreshed": 4,
        "files_relabeled": 4,
        "bytes_read": 0,
    }
    assert stats_versions(table) == [[before, version]] * len(NAMES)
    assert files_read(table, "ZOË") == 1
    assert status(table)["status"] == "healthy"
    assert refresh(table) == {"files_checked": 4, **NOTHING_REFRESHED}


def test_relabeling_is_one_commit_without_data_change(
    table: Table, version: str, before: str
) -> None:
    set_stats_version(people(table, *NAMES), before, version)
    rows, commits = sorted(table.rows()), commit_count(table)

    refresh(table)

    assert commit_count(table) == commits + 1
    assert all(add["dataChange"] is False for add in table.log.files.values())
    assert sorted(table.rows()) == rows
    domain = table.log.actions("domainMetadata")[-1]
    assert version in domain["configuration"]


def test_refresh_reads_files_with_reordered_characters(
    table: Table, version: str, before: str, affected: str
) -> None:
    set_stats_version(people(table, "'Anna'", f"'x{affected}'", "'Zoë'"), before, version)
    reported = status(table)
    assert (reported["files_to_relabel"], reported["files_to_read"]) == (2, 1)

    done = refresh(table)

    assert (done["files_refreshed"], done["files_relabeled"]) == (3, 2)
    assert done["bytes_read"] == reported["bytes_to_read"] > 0
    assert files_read(table, f"X{affected}") == 1
    assert status(table)["status"] == "healthy"


def test_refresh_reads_and_tags_files_without_code_point_tag(
    table: Table, version: str, before: str, affected: str
) -> None:
    assert affected
    remove_code_point_tags(set_stats_version(people(table, *NAMES[:2]), before, version))
    assert refresh(table)["files_relabeled"] == 0

    set_stats_version(table, before, version)
    with unreadable_data_files(table):
        assert refresh(table)["files_relabeled"] == 2


def test_refresh_reads_file_when_one_column_is_not_proven(
    table: Table, version: str, before: str, affected: str
) -> None:
    columns = "name STRING COLLATE UNICODE_CI, city STRING COLLATE UTF8_LCASE"
    people(table, f"'{affected}', 'a'", "'a', 'b'", columns=columns)
    set_stats_version(table, before, version)

    assert refresh(table)["files_relabeled"] == 1
    assert stats_versions(table) == [[before, before, version, version]] * 2


def test_refresh_reads_every_file_when_relabeling_is_disabled(
    table: Table, version: str, before: str
) -> None:
    set_stats_version(people(table, *NAMES), before, version)

    with setting(table.spark, RELABEL_ENABLED, "false"):
        assert status(table)["files_to_relabel"] == 0
        done = refresh(table)

    assert (done["files_refreshed"], done["files_relabeled"]) == (4, 0)
    assert done["bytes_read"] > 0


@pytest.mark.parametrize("version_before", ["74.1", "78", "78.3.1", "junk", "99.1"])
def test_bounds_not_relabeled_from_unproven_icu_version(
    table: Table, version: str, version_before: str
) -> None:
    set_stats_version(people(table, "'Anna'"), version_before, version)
    assert status(table)["files_to_relabel"] == 0
    assert refresh(table)["files_relabeled"] == 0


def test_bounds_relabeled_from_databricks_spelling(table: Table, version: str) -> None:
    people(table, "'Anna'")

    def respelled(_: str, stats: Json) -> Json:
        found = stats["statsWithCollation"].pop(f"icu.UNICODE_CI.{version}")
        stats["statsWithCollation"] = {"ICU.UNICODE_CI.75.1": found}
        return stats

    rewrite_stats(table, respelled)
    with unreadable_data_files(table):
        assert refresh(table)["files_relabeled"] == 1
    assert set(table.log.stats[0]["statsWithCollation"]) == {
        "ICU.UNICODE_CI.75.1",
        f"icu.UNICODE_CI.{version}",
    }


def test_bounds_relabeled_for_file_with_deletion_vector(
    table: Table, version: str, before: str
) -> None:
    table.create("name STRING COLLATE UNICODE_CI", **{"delta.enableDeletionVectors": "true"})
    insert_one_file(table, "'Anna'", "'Mia'", "'Zoë'")
    table.sql("DELETE FROM {t} WHERE name = 'mia'")
    set_stats_version(table, before, version)

    assert refresh(table)["files_relabeled"] == 1
    assert files_read(table, "B") == 1
    assert files_read(table, "ZZ") == 0


# Writers add bounds for other ICU versions.


def test_writes_add_bounds_for_icu_versions_of_session(
    table: Table, version: str, before: str
) -> None:
    table.create("name STRING COLLATE UNICODE_CI")
    with setting(table.spark, ICU_VERSIONS, f"{before}, 74.1"):
        insert_one_file(table, "'Anna'", "'Zoë'")

    [stats] = table.log.stats
    current, old = (f"icu.UNICODE_CI.{each}" for each in (version, before))
    assert set(stats["statsWithCollation"]) == {current, old}
    assert stats["statsWithCollation"][current] == stats["statsWithCollation"][old]
    [domain] = table.log.actions("domainMetadata")
    assert before in domain["configuration"]
    assert "74.1" not in domain["configuration"]


def test_writes_add_bounds_for_icu_versions_of_table(
    table: Table, version: str, before: str
) -> None:
    table.create("name STRING COLLATE UNICODE_CI")
    with setting(table.spark, ICU_VERSIONS, before):
        insert_one_file(table, "'Anna'")

    zoe = "(SELECT 'Zoe' COLLATE UNICODE_CI name) zoe"
    for statement in (
        "INSERT INTO {t} VALUES ('Mia')",
        "UPDATE {t} SET name = 'Anne' WHERE name = 'ANNA'",
        f"MERGE INTO {{t}} t USING {zoe} ON t.name = zoe.name WHEN NOT MATCHED THEN INSERT *",
        "OPTIMIZE {t}",
    ):
        table.sql(statement)
        assert all(found == [before, version] for found in stats_versions(table)), statement


def test_writes_add_no_bounds_for_unproven_icu_version_without_jar(
    table: Table, version: str, before: str, affected: str
) -> None:
    table.create("name STRING COLLATE UNICODE_CI")
    with setting(table.spark, ICU_VERSIONS, before):
        insert_one_file(table, f"'{affected}'", "'Anna'")
    assert stats_versions(table) == [[version]]

    with setting(table.spark, ICU_VERSIONS, before), setting(table.spark, RELABEL_ENABLED, "false"):
        insert_one_file(table, "'Anna'")
    assert stats_versions(table) == [[version], [version]]


def test_writes_compute_bounds_with_icu_jar_of_other_version(
    table: Table, version: str, before: str, affected: str
) -> None:
    table.create("name STRING COLLATE UNICODE_CI, city STRING COLLATE UTF8_LCASE_RTRIM")
    with setting(table.spark, ICU_JARS, str(icu_jar(before))):
        insert_one_file(table, f"'{affected}', 'Ä'", "'Anna', 'b  '")
    [found] = stats_versions(table)
    assert found == sorted([before, before, version, version])
    [stats] = table.log.stats
    bounds = stats["statsWithCollation"]
    for collation in ("icu.UNICODE_CI", "spark.UTF8_LCASE_RTRIM"):
        current, old = (bounds[f"{collation}.{each}"] for each in (version, before))
        assert current.keys() == old.keys() == {"minValues", "maxValues"}


def test_writes_ignore_invalid_icu_jar(table: Table, version: str, tmp_path: Path) -> None:
    jar = tmp_path / "icu4j-77.1.jar"
    jar.write_text("no jar")
    table.create("name STRING COLLATE UNICODE_CI")
    with setting(table.spark, ICU_JARS, f"{jar}, {tmp_path / 'missing.jar'}"):
        insert_one_file(table, "'Anna'")
    assert stats_versions(table) == [[version]]


# Relabeled bounds lose no row.


@pytest.mark.parametrize("collation", ["UNICODE_CI", "de_CI_AI", "UTF8_LCASE", "zh", "ru_CI"])
def test_skipping_finds_every_row_after_upgrade_from_other_icu(
    table: Table, version: str, before: str, collation: str
) -> None:
    """The old bounds are computed by ICU ``before`` itself, not renamed from current bounds."""
    chance = random.Random(SEED)  # noqa: S311
    odd = CHANGED_CHARACTER[version] or ""
    files: list[list[Any]] = [
        [(random_string(chance) + chance.choice(["", "", odd]),) for _ in range(5)]
        for _ in range(8)
    ]
    table.create(f"name STRING COLLATE {collation}")
    with setting(table.spark, ICU_JARS, str(icu_jar(before))):
        write_files(table, "name STRING", files)
    assert len(table.log.files) == len(files)

    def only_before(_: str, stats: Json) -> Json:
        found = stats.get("statsWithCollation", {})
        stats["statsWithCollation"] = {k: v for k, v in found.items() if k.endswith(before)}
        return stats

    rewrite_stats(table, only_before)
    assert all(set(found) <= {before} for found in stats_versions(table)), SEED
    refresh(table)
    assert all(version in found for found in stats_versions(table)), SEED

    conditions = [
        (name, operator)
        for name in chance.sample([name for names in files for (name,) in names], 12)
        for operator in ("=", "<=", ">")
    ]
    queries = [
        f"SELECT name FROM {{t}} WHERE name {operator} {sql_literal(name)}"
        for name, operator in conditions
    ]
    for (name, operator), found in zip(conditions, scans(table, queries), strict=True):
        assert operator == ">" or (name,) in found.rows, (SEED, name)
