# SPDX-License-Identifier: Apache-2.0
"""Runs the command line within the test process."""

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
    """Run the command line and return its exit code, standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as exit_:
            code = int(exit_.code or 0)
    return code, out.getvalue(), err.getvalue()


def status(path: Path, icu: str = ICU) -> list[Json]:
    """Return the rows of ``status`` after checking that the exit code agrees with them."""
    code, output, error = run("status", path, "--icu-version", icu, "--json")
    assert not error
    rows: list[Json] = json.loads(output)
    needs_action = ("missing", "stale", "partial", "unknown")
    assert code == any(row["status"].startswith(needs_action) for row in rows)
    return rows


def column_statuses(path: Path, icu: str = ICU) -> list[tuple[str, str]]:
    """Return the name and the status of each column for the current ICU version."""
    return [(row["column"], row["status"]) for row in status(path, icu) if row["is_current"]]


def single_status(path: Path) -> str:
    """Return the status of the only collated column."""
    ((_, column_status),) = column_statuses(path)
    return column_status


def error_message(path: object) -> str:
    """Return the error message of the command line, which must be a single line."""
    code, out, error = run("status", path, "--icu-version", ICU)
    assert (code, out) == (2, "")
    assert error.count("\n") == 1
    assert error.startswith("delta-collations: ")
    return error.removeprefix("delta-collations: ").strip()
