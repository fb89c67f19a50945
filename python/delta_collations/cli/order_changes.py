# SPDX-License-Identifier: Apache-2.0
"""Code points that two versions of ICU may order differently, as the jar lists them."""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from functools import cache, lru_cache
from typing import NamedTuple

from delta_collations.cli.collations import DATA

Range = tuple[int, int]

# Files list the code points of a column as ranges of blocks of 16.
_BLOCK_BITS = 4
_LAST_BLOCK = sys.maxunicode >> _BLOCK_BITS
_MAX_BLOCKS_LENGTH = 32 * 12

_MODIFIERS = re.compile("(?:_(?:CS|CI|AS|AI|RTRIM))+$")
_RANGE = re.compile("([0-9a-f]{1,6})(?:-([0-9a-f]{1,6}))?")


class _Step(NamedTuple):
    """The changes from one ICU version to the next, by locale."""

    old: str
    new: str
    changes: dict[str, list[Range]]


class ChangedCodePoints:
    """The code points that two versions of ICU may order differently under a collation.

    Strings without them compare alike.
    """

    def __init__(self, ranges: list[Range]) -> None:
        """Prepare the searches in strings and in blocks."""
        self.ranges = _merged(ranges)
        members = "".join(rf"\U{first:08x}-\U{last:08x}" for first, last in self.ranges)
        # A character class cannot be empty; the other pattern matches nothing.
        self._pattern = re.compile(f"[{members}]" if members else "(?!)")
        self._blocks = sorted(
            {
                block
                for first, last in self.ranges
                for block in range(first >> _BLOCK_BITS, (last >> _BLOCK_BITS) + 1)
            }
        )

    def occur_in(self, text: str) -> bool:
        """Return whether a string contains one of the code points."""
        return self._pattern.search(text) is not None

    def occur_in_blocks(self, blocks: list[Range]) -> bool:
        """Return whether one of the code points is in these blocks."""
        return any(
            place < len(self._blocks) and self._blocks[place] <= last
            for first, last in blocks
            for place in [bisect_left(self._blocks, first)]
        )


@cache
def changed_code_points(collation: str, one: str, other: str) -> ChangedCodePoints | None:
    """Return what may compare differently in two ICU versions; None if nothing is proven."""
    steps = _steps()
    versions = [step.old for step in steps] + [step.new for step in steps[-1:]]
    if one not in versions or other not in versions:
        return None
    locale = _MODIFIERS.sub("", collation.partition(".")[2])
    start, end = sorted((versions.index(one), versions.index(other)))
    changes = [step.changes.get(locale) for step in steps[start:end]]
    if not changes or None in changes:
        return None
    return ChangedCodePoints([found for change in changes for found in change or ()])


@lru_cache(maxsize=1024)
def parse_blocks(text: str) -> list[Range] | None:
    """Return the blocks in the tag of a file; None if the text is malformed."""
    if len(text) > _MAX_BLOCKS_LENGTH:
        return None
    blocks = _parse_ranges(text)
    # The jar writes every set in one way only, so any other text is corrupt.
    if blocks is None or _format(_merged(blocks)) != text:
        return None
    return blocks if all(last <= _LAST_BLOCK for _, last in blocks) else None


@cache
def _steps() -> list[_Step]:
    steps: dict[tuple[str, str], dict[str, list[Range]]] = {}
    for line in (DATA / "icu-order-changes.tsv").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            old, new, locales, ranges = line.split("\t")
            changes = _parse_ranges(ranges) or []
            steps.setdefault((old, new), {}).update(dict.fromkeys(locales.split(" "), changes))
    return [_Step(old, new, changes) for (old, new), changes in steps.items()]


def _parse_ranges(text: str) -> list[Range] | None:
    """Parse hexadecimal ranges such as ``41-5a c0``."""
    ranges = []
    for part in text.split():
        found = _RANGE.fullmatch(part)
        if not found:
            return None
        first = int(found[1], 16)
        last = int(found[2] or found[1], 16)
        if not first <= last <= sys.maxunicode:
            return None
        ranges.append((first, last))
    return ranges


def _merged(ranges: list[Range]) -> list[Range]:
    """Return the same set as ranges that neither touch nor overlap, in ascending order."""
    merged: list[Range] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return merged


def _format(ranges: list[Range]) -> str:
    return " ".join(
        f"{first:x}" if first == last else f"{first:x}-{last:x}" for first, last in ranges
    )
