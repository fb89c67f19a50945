# SPDX-License-Identifier: Apache-2.0
"""The command line: what the log of a table says of its collated columns, without Spark."""

from __future__ import annotations

import argparse
import importlib.util
import re
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from delta_collations.cli.columns import collated_columns
from delta_collations.cli.errors import CommandLineError
from delta_collations.cli.output import LONGEST_ERROR, legible, show
from delta_collations.cli.status import UNKNOWN, ColumnStats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from delta_collations.cli.output import Row
    from delta_collations.cli.status import Status

NEEDS_ACTION = 1
ERROR = 2

# What a terminal has room for; JSON has it all.
STATUS_HEADINGS = {
    "column": "column",
    "collation": "collation",
    "version": "version",
    "files": "files",
    "files_covered": "covered",
    "files_other_version": "other version",
    "files_missing": "missing",
    "verdict": "verdict",
}
COLUMN_HEADINGS = {
    name: name.replace("_", " ")
    for name in ("column", "collation", "position", "statistics", "files", "files_usable")
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    asked = _parser().parse_args(arguments)
    try:
        running = asked.icu_version or _installed_icu()
        table, columns = _counted(asked.path, running)
    except CommandLineError as error:
        print(f"delta-collations: {legible(str(error), LONGEST_ERROR)}", file=sys.stderr)
        return ERROR
    statuses = [column.statuses(table) for column in columns]
    if asked.command == "columns":
        rows = [_column(column, of[0]) for column, of in zip(columns, statuses, strict=True)]
        show(rows, COLUMN_HEADINGS, as_json=asked.json)
        return 0
    flat = [status for of in statuses for status in of]
    show([asdict(status) for status in flat], STATUS_HEADINGS, as_json=asked.json)
    commands = {status.command for status in flat if status.command}
    if commands and not asked.json:
        print("\nRun in Spark:\n ", *commands)
    return NEEDS_ACTION if any(status.needs_action for status in flat) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="delta-collations",
        description="Tell from the log of a Delta table whether the statistics of its collated "
        "columns are of use to the ICU that reads it. Needs neither Spark nor Java.",
        epilog="Exit codes: 0 all is well, 1 status found something to do, 2 it could not tell.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name, purpose in (
        ("status", "which files have statistics of which version, and what to do about it"),
        ("columns", "the collated columns, and whether statistics are collected for them"),
    ):
        command = commands.add_parser(
            name, help=purpose, description=purpose.capitalize() + ".", allow_abbrev=False
        )
        command.add_argument("path", help="of the table: a folder, or a URI such as s3://…")
        command.add_argument("--json", action="store_true", help="print all figures as JSON")
        command.add_argument(
            "--icu-version",
            metavar="VERSION",
            type=_version,
            help="the version of the ICU that reads the table; by default that of the installed "
            "PySpark",
        )
    return parser


def _version(text: str) -> str:
    if not re.fullmatch(r"\d+(\.\d+)*", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no version such as 78.3")
    return text


def _installed_icu() -> str:
    """Return the version of the ICU in PySpark's folder, which is looked up, not imported."""
    spec = importlib.util.find_spec("pyspark")
    for folder in (spec and spec.submodule_search_locations) or ():
        for jar in Path(folder, "jars").glob("icu4j-*.jar"):
            return jar.stem.removeprefix("icu4j-")
    raise CommandLineError(
        "No PySpark is installed here whose ICU could count as running: "
        "say which version does, such as --icu-version 78.3."
    )


def _counted(path: str, running: str) -> tuple[str, list[ColumnStats]]:
    """Return the full name of the table, and its files counted for each collated column."""
    try:
        # PyArrow is an extra that only this needs.
        from delta_collations.cli.delta_log import Log  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise CommandLineError(
            f"{error.name} is not installed: pip install 'delta-collations[cli]'"
        ) from None
    log = Log(path)
    columns = [ColumnStats(column, running) for column in collated_columns(log.metadata)]
    # A table without collated columns need not be read any further.
    for file in log.files() if columns else ():
        for column in columns:
            column.add(file)
    return log.table, columns


def _column(stats: ColumnStats, status: Status) -> Row:
    is_known = stats.column.key is not None
    return {
        "column": status.column,
        "collation": status.collation,
        "position": stats.column.position,
        "statistics": (stats.column.without_statistics or "collected") if is_known else UNKNOWN,
        "files": status.files,
        "files_usable": status.files_covered,
    }
