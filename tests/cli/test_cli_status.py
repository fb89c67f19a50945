# SPDX-License-Identifier: Apache-2.0
"""``delta-collations status`` tells whether statistics are of use, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.command_line import ICU, OLD, status, verdict
from support.log_builder import (
    add,
    bounds,
    table,
)

if TYPE_CHECKING:
    from pathlib import Path

    from support.tables import Json


def test_a_table_whose_files_all_have_bounds_of_the_running_version_is_healthy(
    tmp_path: Path,
) -> None:
    table(tmp_path, add("a", bounds(ICU)), add("b", bounds(OLD, ICU)))

    assert status(tmp_path)[0] == {
        "column": "name",
        "collation": "icu.UNICODE_CI",
        "version": ICU,
        "is_running": True,
        "verdict": "healthy",
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
    }


def test_a_table_without_files_is_healthy(tmp_path: Path) -> None:
    assert verdict(table(tmp_path)) == "healthy"


def test_a_table_without_any_bounds_is_missing_them(tmp_path: Path) -> None:
    table(tmp_path, add("a", {"numRecords": 3, "minValues": {"name": "a"}}), add("b", size=7))

    (row,) = status(tmp_path)

    assert row["verdict"] == "missing: no file has statistics"
    assert row["command"] == f"ANALYZE TABLE delta.`{tmp_path}` COMPUTE DELTA STATISTICS"
    assert (row["files_missing"], row["rows_missing"], row["bytes_missing"]) == (2, 3, 107)


@pytest.mark.parametrize(
    ("versions", "said"),
    [
        ([OLD], "77.1"),
        ([OLD, "9.1"], "9.1 and 77.1"),
        ([OLD, "75.1", "76.1"], "75.1, 76.1 and 77.1"),
    ],
)
def test_a_table_with_bounds_of_other_versions_only_is_stale(
    tmp_path: Path, versions: list[str], said: str
) -> None:
    table(tmp_path, add("none", {"numRecords": 0}), *(add(v, bounds(v)) for v in versions))

    assert verdict(tmp_path) == f"stale: written by ICU {said}, running 78.3"


def test_a_table_with_some_files_lacking_is_partial(tmp_path: Path) -> None:
    table(tmp_path, add("a", bounds(ICU)), add("b", bounds(OLD)), add("c"))

    (running, old) = status(tmp_path)

    assert running["verdict"] == "partial: 2 of 3 files without statistics of ICU 78.3"
    assert [running[f"files_{kind}"] for kind in ("covered", "other_version", "missing")] == [1] * 3
    assert running["command"]
    assert old["verdict"] == "not used: written by ICU 77.1, running 78.3"
    assert (old["version"], old["is_running"], old["command"]) == (OLD, False, None)
    assert [old[f"files_{kind}"] for kind in ("covered", "other_version", "missing")] == [1] * 3


def test_old_bounds_beside_new_ones_are_partial_not_stale(tmp_path: Path) -> None:
    table(tmp_path, add("a", bounds(OLD)), add("b", bounds(ICU)))

    assert verdict(tmp_path) == "partial: 1 of 2 files without statistics of ICU 78.3"


def test_old_bounds_beside_files_with_none_are_partial_not_stale(tmp_path: Path) -> None:
    table(tmp_path, add("a", bounds(OLD)), add("b"))

    assert verdict(tmp_path) == "partial: 2 of 2 files without statistics of ICU 78.3"


def test_other_versions_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    table(tmp_path, add("a", bounds("100.1", ICU, "9.2", "9.10", "75.1")))

    assert [row["version"] for row in status(tmp_path)] == [ICU, "9.2", "9.10", "75.1", "100.1"]


@pytest.mark.parametrize(
    "stats",
    [
        pytest.param({"numRecords": 0}, id="no rows"),
        pytest.param({"numRecords": 4, "nullCount": {"name": 4}}, id="only nulls"),
        pytest.param(
            {"statsWithCollation": {f"icu.UNICODE_CI.{ICU}": {"maxValues": {"name": "z"}}}},
            id="one bound, and no count",
        ),
        pytest.param(bounds(ICU, key="ICU.unicode_ci"), id="another letter case"),
    ],
)
def test_a_file_is_covered_by_one_bound_or_if_it_needs_none(tmp_path: Path, stats: Json) -> None:
    assert verdict(table(tmp_path, add("a", stats))) == "healthy"


@pytest.mark.parametrize(
    "stats",
    [
        pytest.param({"numRecords": 4, "nullCount": {"name": 3}}, id="some nulls"),
        pytest.param({"numRecords": 4, "nullCount": {"name": {}}}, id="nulls of another type"),
        pytest.param(bounds(ICU, key="icu.UNICODE"), id="another collation"),
        pytest.param(bounds(ICU, column="names"), id="another column"),
        pytest.param({"statsWithCollation": {f"icu.UNICODE_CI.{ICU}": {}}}, id="no bounds"),
        pytest.param(
            {"statsWithCollation": {f"icu.UNICODE_CI.{ICU}": {"minValues": {"name": 7}}}},
            id="a bound that is no text",
        ),
        pytest.param(
            {"statsWithCollation": {"icu.UNICODE_CI": {}, "": 1, ".": []}}, id="no versions"
        ),
        pytest.param("{", id="no JSON"),
        pytest.param("[1]", id="no object"),
        pytest.param("[" * 100_000, id="JSON without end"),
    ],
)
def test_what_bounds_nothing_counts_as_missing(tmp_path: Path, stats: Json | str) -> None:
    assert verdict(table(tmp_path, add("a", stats))) == "missing: no file has statistics"
