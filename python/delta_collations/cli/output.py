# SPDX-License-Identifier: Apache-2.0
"""Prints tables and JSON."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

Row = dict[str, Any]

# Names in a log can be of any length.
MAX_CELL_LENGTH = 200
MAX_ERROR_LENGTH = 1000

# Control characters, bidirectional formatting characters, and lone surrogates.
_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)


def show(rows: list[Row], headings: Mapping[str, str], *, as_json: bool) -> None:
    """Print rows as a table with the columns in ``headings``, or with all columns as JSON."""
    if as_json:
        lines = json.dumps(rows, indent=2, ensure_ascii=False).split("\n")
        # The escapes are also valid in JSON strings.
        print("\n".join(printable(line) for line in lines))
        return
    if not rows:
        print("The table has no collated columns.")
        return
    table = [list(headings.values())]
    table += [
        [
            "-" if row[name] is None else printable(str(row[name]), MAX_CELL_LENGTH)
            for name in headings
        ]
        for row in rows
    ]
    widths = [max(map(len, cells)) for cells in zip(*table, strict=True)]
    is_number = [isinstance(rows[0][name], int) for name in headings]
    for line in table:
        cells = (
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(line, widths, is_number, strict=True)
        )
        print("  ".join(cells).rstrip())


def printable(text: str, max_length: int | None = None) -> str:
    """Return text from a log on one line, truncated, with invisible characters escaped."""
    is_truncated = max_length is not None and len(text) > max_length
    shown = text[:max_length] + "…" if is_truncated else text
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", shown)
