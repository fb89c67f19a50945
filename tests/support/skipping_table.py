# SPDX-License-Identifier: Apache-2.0
"""A table whose files are identified by letters, to show which of them a query reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from support.scans import Scan, scan

if TYPE_CHECKING:
    from support.tables import Table

# The names in each file by its letter; every string column has the same names.
NAMES: dict[str, list[str | None]] = {
    "A": ["Adam", "BERTA"],
    "C": ["carl", "Dora"],
    "E": ["emil", "FRIDA"],
    "G": ["Gustav", None],
    "N": [None, None],
    "Y": ["Yves", "zoe"],
}

ALL_LETTERS = "".join(NAMES)


def write_files(table: Table, schema: str, files: list[list[tuple[Any, ...]]]) -> Table:
    """Append all rows in one commit, one file for each list; all lists have the same length."""
    rows = [row for file in files for row in file]
    frame = table.spark.createDataFrame(rows, schema).coalesce(1)
    writer = frame.write.format("delta").mode("append")
    writer.option("maxRecordsPerFile", len(files[0])).save(str(table.path))
    return table


def letter_by_file(table: Table) -> dict[str, str]:
    """Return the letter of each file by its path."""
    return {path: file["stats"]["minValues"]["file"] for path, file in table.log.files.items()}


def letters_of_scan(table: Table, found: Scan) -> str:
    """Return the letters of the files that a scan read."""
    return "".join(sorted(letter_by_file(table)[path] for path in found.files))


def letters_read(table: Table, predicate: str, *, rows: int | None = None) -> str:
    """Return the letters of the files that a query reads, checked by ``scan``."""
    found = scan(table, f"SELECT * FROM {{t}} WHERE {predicate}")
    assert rows is None or len(found.rows) == rows
    return letters_of_scan(table, found)
