# SPDX-License-Identifier: Apache-2.0
"""The command ``delta-collations``, which inspects the log of a table without Spark."""

from __future__ import annotations

import argparse
import importlib.util
import re
import sys
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING

from delta_collations.cli.columns import collated_columns
from delta_collations.cli.errors import CommandLineError
from delta_collations.cli.output import MAX_ERROR_LENGTH, printable, show
from delta_collations.cli.relabeling import Relabeling
from delta_collations.cli.status import UNKNOWN, ColumnStats, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from delta_collations.cli.output import Row

__all__ = ["main"]

NEEDS_ACTION = 1
ERROR = 2

# The columns that fit on a terminal, by name.
STATUS_HEADINGS = {
    "column": "column",
    "collation": "collation",
    "version": "version",
    "files": "files",
    "files_covered": "covered",
    "files_other_version": "other version",
    "files_missing": "missing",
    "files_to_relabel": "to relabel",
    "files_to_read": "to read",
    "status": "status",
}
ALL_STATUS_HEADINGS = {field.name: field.name.replace("_", " ") for field in fields(Status)}
COLUMN_HEADINGS = {
    name: name.replace("_", " ")
    for name in ("column", "collation", "position", "statistics", "files", "files_usable")
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        The arguments after the name of the command; by default those of the process.

    Returns
    -------
    int
        The exit code: 0 if all is well, 1 if a column needs action, 2 if the table cannot be
        inspected.
    """
    options = _parser().parse_args(arguments)
    try:
        current_version = options.icu_version or _installed_icu()
        table, columns = _read(options.path, current_version)
    except CommandLineError as error:
        print(f"delta-collations: {printable(str(error), MAX_ERROR_LENGTH)}", file=sys.stderr)
        return ERROR
    by_column = [column.statuses(table) for column in columns]
    if options.command == "columns":
        rows = [_column_row(stats, of[0]) for stats, of in zip(columns, by_column, strict=True)]
        show(rows, COLUMN_HEADINGS, as_json=options.json)
        return 0
    statuses = [status for of in by_column for status in of]
    headings = ALL_STATUS_HEADINGS if options.wide else STATUS_HEADINGS
    show([asdict(status) for status in statuses], headings, as_json=options.json)
    commands = {status.command for status in statuses if status.command}
    if commands and not options.json:
        print("\nRun in Spark:\n ", *commands)
    return NEEDS_ACTION if any(status.needs_action for status in statuses) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="delta-collations",
        description="Inspect the statistics of collated columns in the log of a Delta table. "
        "Requires neither Spark nor Java.",
        epilog="Exit codes: 0 all is well, 1 a column needs action, 2 the table cannot be "
        "inspected.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name, purpose in (
        ("status", "show which files have statistics of which ICU version, and what to do"),
        ("columns", "list the collated columns, and whether statistics are collected for them"),
    ):
        command = commands.add_parser(
            name, help=purpose, description=purpose.capitalize() + ".", allow_abbrev=False
        )
        command.add_argument("path", help="path of the table: a folder, or a URI such as s3://…")
        command.add_argument("--json", action="store_true", help="print all columns as JSON")
        if name == "status":
            command.add_argument(
                "--wide", action="store_true", help="print all columns as a wide table"
            )
        command.add_argument(
            "--icu-version",
            metavar="VERSION",
            type=_version,
            help="the current ICU version; by default that of the installed PySpark",
        )
    return parser


def _version(text: str) -> str:
    if not re.fullmatch(r"\d+(\.\d+)*", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a version such as 78.3")
    return text


def _installed_icu() -> str:
    """Return the ICU version in PySpark's folder, without importing PySpark."""
    spec = importlib.util.find_spec("pyspark")
    for folder in (spec and spec.submodule_search_locations) or ():
        for jar in Path(folder, "jars").glob("icu4j-*.jar"):
            return jar.stem.removeprefix("icu4j-")
    raise CommandLineError(
        "PySpark is not installed, so the current ICU version is not known. Specify it, for "
        "example with --icu-version 78.3."
    )


def _read(path: str, current_version: str) -> tuple[str, list[ColumnStats]]:
    """Return the full path of the table, and the counts of its files for each collated column."""
    try:
        # PyArrow belongs to an extra, and nothing else needs it.
        from delta_collations.cli.delta_log import Log  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise CommandLineError(
            f'{error.name} is not installed. Install it with: pip install "delta-collations[cli]"'
        ) from None
    log = Log(path)
    columns = collated_columns(log.metadata)
    stats = [ColumnStats(column, current_version) for column in columns]
    relabeling = Relabeling(columns, current_version)
    # Without collated columns, the files do not matter.
    for file in log.files() if columns else ():
        can_be_relabeled = relabeling.applies_to(file)
        for each in stats:
            each.add(file, can_be_relabeled=can_be_relabeled)
    return log.table, stats


def _column_row(stats: ColumnStats, status: Status) -> Row:
    """Return a row with the columns of ``collation_columns``."""
    is_supported = stats.column.collation is not None
    return {
        "column": status.column,
        "collation": status.collation,
        "position": stats.column.position,
        "statistics": (stats.column.not_collected or "collected") if is_supported else UNKNOWN,
        "files": status.files,
        "files_usable": status.files_covered,
    }
