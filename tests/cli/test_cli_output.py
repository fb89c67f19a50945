# SPDX-License-Identifier: Apache-2.0
"""The command line prints tables and commands."""

from __future__ import annotations

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


def test_a_uri_names_a_table_too(tmp_path: Path) -> None:
    table(tmp_path, add("a"))

    code, said, _ = run("status", f"{tmp_path.as_uri()}/", "--icu-version", ICU)

    assert code == 1
    assert f"delta.`{tmp_path.as_uri()}`" in said


def test_the_report_is_a_table_with_the_command_once_below_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "it`s"
    table(
        path,
        add("a", bounds(OLD)),
        fields=[NAME, collated("x y", "acme.X"), collated("z", "icu.de")],
    )
    monkeypatch.chdir(tmp_path)

    code, said, error = run("status", "it`s", "--icu-version", ICU)

    assert (code, error) == (1, "")
    versions = "written by ICU 77.1, running 78.3"
    stale, missing = f"stale: {versions}", "missing: no file has statistics"
    assert (
        said
        == f"""\
column  collation       version  files  covered  other version  missing  verdict
name    icu.UNICODE_CI  78.3         1        0              1        0  {stale}
name    icu.UNICODE_CI  77.1         1        1              0        0  not used: {versions}
`x y`   acme.X          -            1        0              0        1  unknown collation
z       icu.de          78.3         1        0              0        1  {missing}

Run in Spark:
  ANALYZE TABLE delta.`{tmp_path}/it``s` COMPUTE DELTA STATISTICS
"""
    )


def test_a_healthy_table_has_no_command_below_it(tmp_path: Path) -> None:
    code, said, _ = run("status", table(tmp_path, add("a", bounds(ICU))), "--icu-version", ICU)

    assert code == 0
    assert len(said.splitlines()) == 2


def test_columns_are_listed_with_the_files_that_are_of_use(tmp_path: Path) -> None:
    fields = [field("id", "long"), NAME]
    table(tmp_path, add("a", bounds(ICU)), add("b"), fields=fields)

    code, said, error = run("columns", tmp_path, "--icu-version", ICU)

    assert (code, error) == (0, "")
    assert (
        said
        == """\
column  collation       position  statistics  files  files usable
name    icu.UNICODE_CI         2  collected       2             1
"""
    )
