# SPDX-License-Identifier: Apache-2.0
"""The command line, run in the process of the test."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING

from delta_collations.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from support.tables import Json

ICU = "78.3"
OLD = "77.1"


def run(*arguments: object) -> tuple[int, str, str]:
    """Return exit code, output and errors of the command line."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as exit_:
            code = int(exit_.code or 0)
    return code, out.getvalue(), err.getvalue()


def status(path: Path, icu: str = ICU) -> list[Json]:
    """Return the report on a table; its exit code must agree with it."""
    code, said, error = run("status", path, "--icu-version", icu, "--json")
    assert not error
    rows: list[Json] = json.loads(said)
    sick = ("missing", "stale", "partial", "unknown")
    assert code == any(row["verdict"].startswith(sick) for row in rows)
    return rows


def verdicts(path: Path, icu: str = ICU) -> list[tuple[str, str]]:
    """Return column and verdict of each row of the report."""
    return [(row["column"], row["verdict"]) for row in status(path, icu) if row["is_running"]]


def verdict(path: Path) -> str:
    ((_, found),) = verdicts(path)
    return found


def refusal(path: object) -> str:
    """Return the one sentence with which a table is refused."""
    code, out, error = run("status", path, "--icu-version", ICU)
    assert (code, out) == (2, "")
    assert error.count("\n") == 1
    assert error.startswith("delta-collations: ")
    return error.removeprefix("delta-collations: ").strip()
