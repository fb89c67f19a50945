# SPDX-License-Identifier: Apache-2.0
"""The command line prints tables and commands."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from support.command_line import ICU, OLD, run
from support.log_builder import (
    NAME,
    add,
    bounds,
    table,
)
from support.tables import collated, field

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_path_can_be_a_uri(tmp_path: Path) -> None:
    table(tmp_path, add("a"))

    code, out, _ = run("status", f"{tmp_path.as_uri()}/", "--icu-version", ICU)

    assert code == 1
    assert f"delta.`{tmp_path.as_uri()}`" in out


def test_status_prints_a_table_and_the_command_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "it`s"
    table(
        path,
        add("a", bounds(OLD)),
        fields=[NAME, collated("x y", "acme.X"), collated("z", "icu.de")],
    )
    monkeypatch.chdir(tmp_path)

    code, out, error = run("status", "it`s", "--icu-version", ICU)

    assert (code, error) == (1, "")
    versions = "written by ICU 77.1, current is 78.3"
    new, old = f"stale: {versions}", f"not used: {versions}"
    none, lack = "unknown collation", "missing: no file has statistics"
    assert (
        out
        == f"""\
column  collation       version  files  covered  other version  missing  to relabel  to read  status
name    icu.UNICODE_CI  78.3         1        0              1        0           0        1  {new}
name    icu.UNICODE_CI  77.1         1        1              0        0           0        0  {old}
`x y`   acme.X          -            1        0              0        1           0        0  {none}
z       icu.de          78.3         1        0              0        1           0        1  {lack}

Run in Spark:
  ANALYZE TABLE delta.`{tmp_path}/it``s` COMPUTE DELTA STATISTICS
"""
    )


def test_status_prints_no_command_when_healthy(tmp_path: Path) -> None:
    code, out, _ = run("status", table(tmp_path, add("a", bounds(ICU))), "--icu-version", ICU)

    assert code == 0
    assert len(out.splitlines()) == 2


def test_columns_prints_a_table(tmp_path: Path) -> None:
    fields = [field("id", "long"), NAME]
    table(tmp_path, add("a", bounds(ICU)), add("b"), fields=fields)

    code, out, error = run("columns", tmp_path, "--icu-version", ICU)

    assert (code, error) == (0, "")
    assert (
        out
        == """\
column  collation       position  statistics  files  files usable
name    icu.UNICODE_CI         2  collected       2             1
"""
    )


def test_status_prints_all_columns_when_wide(tmp_path: Path) -> None:
    table(tmp_path, add("a", bounds(ICU)))

    _, wide, _ = run("status", tmp_path, "--icu-version", ICU, "--wide")
    _, as_json, _ = run("status", tmp_path, "--icu-version", ICU, "--json")

    names = [name.replace("_", " ") for name in json.loads(as_json)[0]]
    assert re.split(" {2,}", wide.splitlines()[0]) == names
