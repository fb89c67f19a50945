# SPDX-License-Identifier: Apache-2.0
"""Tables and JSON on the terminal."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

Row = dict[str, Any]

# Names in a log can be of any length.
LONGEST_CELL = 200
LONGEST_ERROR = 1000
# Controls, marks that turn the direction of writing, and halves of characters.
_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)


def show(rows: list[Row], headings: Mapping[str, str], *, as_json: bool) -> None:
    """Print rows as a table with these headings, or with all their values as JSON."""
    if as_json:
        lines = json.dumps(rows, indent=2, ensure_ascii=False).split("\n")
        # In JSON these are the same characters, written in another way.
        print("\n".join(legible(line) for line in lines))
        return
    if not rows:
        print("The table has no collated columns.")
        return
    table = [list(headings.values())]
    table += [
        ["-" if row[name] is None else legible(str(row[name]), LONGEST_CELL) for name in headings]
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


def legible(text: str, longest: int | None = None) -> str:
    """Return what a log said in a form that stays on its line and moves no cursor."""
    is_cut = longest is not None and len(text) > longest
    cut = text[:longest] + "…" if is_cut else text
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", cut)
