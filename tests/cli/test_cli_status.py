# SPDX-License-Identifier: Apache-2.0
"""``delta-collations status`` reports whether statistics can be used, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.command_line import ICU, OLD, single_status, status
from support.log_builder import (
    add,
    bounds,
    table,
)

if TYPE_CHECKING:
    from pathlib import Path

    from support.tables import Json


def test_status_is_healthy_when_all_files_have_current_bounds(
    tmp_path: Path,
) -> None:
    table(tmp_path, add("a", bounds(ICU)), add("b", bounds(OLD, ICU)))

    assert status(tmp_path)[0] == {
        "column": "name",
        "collation": "icu.UNICODE_CI",
        "statistics_collation": "icu.UNICODE_CI",
        "version": ICU,
        "is_current": True,
        "status": "healthy",
        "command": None,
        "files": 2,
        "files_covered": 2,
        "files_other_version": 0,
        "files_missing": 0,
        "rows_covered": 20,
        "rows_other_version": 0,
        "rows_missing": 0,
        "bytes_covered": 200,
        "bytes_other_version": 0,
        "bytes_missing": 0,
        "files_to_relabel": 0,
        "files_to_read": 0,
        "bytes_to_read": 0,
        "lookup_share": None,
    }


def test_status_is_healthy_when_the_table_has_no_files(tmp_path: Path) -> None:
    assert single_status(table(tmp_path)) == "healthy"


def test_status_is_missing_when_no_file_has_bounds(tmp_path: Path) -> None:
    table(tmp_path, add("a", {"numRecords": 3, "minValues": {"name": "a"}}), add("b", size=7))

    (row,) = status(tmp_path)

    assert row["status"] == "missing: no file has statistics"
    assert row["command"] == f"ANALYZE TABLE delta.`{tmp_path}` COMPUTE DELTA STATISTICS"
    assert (row["files_missing"], row["rows_missing"], row["bytes_missing"]) == (2, 3, 107)


@pytest.mark.parametrize(
    ("versions", "listed"),
    [
        ([OLD], "77.1"),
        ([OLD, "9.1"], "9.1 and 77.1"),
        ([OLD, "75.1", "76.1"], "75.1, 76.1 and 77.1"),
    ],
)
def test_status_is_stale_when_all_bounds_are_of_other_versions(
    tmp_path: Path, versions: list[str], listed: str
) -> None:
    table(tmp_path, add("none", {"numRecords": 0}), *(add(v, bounds(v)) for v in versions))

    assert single_status(tmp_path) == f"stale: written by ICU {listed}, current is 78.3"


def test_status_is_partial_when_some_files_have_current_bounds(tmp_path: Path) -> None:
    table(tmp_path, add("a", bounds(ICU)), add("b", bounds(OLD)), add("c"))

    (current, old) = status(tmp_path)

    assert current["status"] == "partial: 2 of 3 files without statistics of ICU 78.3"
    assert [current[f"files_{kind}"] for kind in ("covered", "other_version", "missing")] == [1] * 3
    assert current["command"]
    assert old["status"] == "not used: written by ICU 77.1, current is 78.3"
    assert (old["version"], old["is_current"], old["command"]) == (OLD, False, None)
    assert [old[f"files_{kind}"] for kind in ("covered", "other_version", "missing")] == [1] * 3


def test_status_is_partial_when_old_and_current_bounds_are_mixed(tmp_path: Path) -> None:
    table(tmp_path, add("a", bounds(OLD)), add("b", bounds(ICU)))

    assert single_status(tmp_path) == "partial: 1 of 2 files without statistics of ICU 78.3"


def test_status_is_partial_when_some_files_have_no_bounds(tmp_path: Path) -> None:
    table(tmp_path, add("a", bounds(OLD)), add("b"))

    assert single_status(tmp_path) == "partial: 2 of 2 files without statistics of ICU 78.3"


def test_other_versions_are_sorted_by_number(tmp_path: Path) -> None:
    table(tmp_path, add("a", bounds("100.1", ICU, "9.2", "9.10", "75.1")))

    assert [row["version"] for row in status(tmp_path)] == [ICU, "9.2", "9.10", "75.1", "100.1"]


@pytest.mark.parametrize(
    "stats",
    [
        pytest.param({"numRecords": 0}, id="no rows"),
        pytest.param({"numRecords": 4, "nullCount": {"name": 4}}, id="only nulls"),
        pytest.param(
            {"statsWithCollation": {f"icu.UNICODE_CI.{ICU}": {"maxValues": {"name": "z"}}}},
            id="one bound without counts",
        ),
        pytest.param(bounds(ICU, key="ICU.unicode_ci"), id="another letter case"),
    ],
)
def test_file_is_covered_by_one_bound_or_without_values(tmp_path: Path, stats: Json) -> None:
    assert single_status(table(tmp_path, add("a", stats))) == "healthy"


@pytest.mark.parametrize(
    "stats",
    [
        pytest.param({"numRecords": 4, "nullCount": {"name": 3}}, id="some nulls"),
        pytest.param({"numRecords": 4, "nullCount": {"name": {}}}, id="null count of another type"),
        pytest.param(bounds(ICU, key="icu.UNICODE"), id="another collation"),
        pytest.param(bounds(ICU, column="names"), id="another column"),
        pytest.param({"statsWithCollation": {f"icu.UNICODE_CI.{ICU}": {}}}, id="no bounds"),
        pytest.param(
            {"statsWithCollation": {f"icu.UNICODE_CI.{ICU}": {"minValues": {"name": 7}}}},
            id="bound that is not a string",
        ),
        pytest.param(
            {"statsWithCollation": {"icu.UNICODE_CI": {}, "": 1, ".": []}}, id="no versions"
        ),
        pytest.param("{", id="not JSON"),
        pytest.param("[1]", id="not an object"),
        pytest.param("[" * 100_000, id="deeply nested JSON"),
    ],
)
def test_file_without_valid_bounds_is_missing_statistics(tmp_path: Path, stats: Json | str) -> None:
    assert single_status(table(tmp_path, add("a", stats))) == "missing: no file has statistics"
