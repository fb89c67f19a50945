# SPDX-License-Identifier: Apache-2.0
"""Files whose statistics a refresh only relabels, because they are proven to hold."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from delta_collations.cli.order_changes import changed_code_points, parse_blocks
from delta_collations.cli.stats_json import (
    COLLATED,
    MIN_AND_MAX,
    as_count,
    has_bound,
    is_bound,
    parse_identifier,
    read_object,
    value_at,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from delta_collations.cli.columns import Column, Names
    from delta_collations.cli.delta_log import DataFile
    from delta_collations.cli.stats_json import Json

# Limits the work on a forged tag. Tables do not have enough columns to reach this length.
_MAX_TAG_LENGTH = 1 << 20


class _Required(NamedTuple):
    """Bounds that each file should have."""

    collation: str
    version: str
    path: Names

    @property
    def identifier(self) -> str:
        return f"{self.collation}.{self.version}"

    def are_missing(self, stats: Json, rows: int) -> bool:
        has_bounds = has_bound(value_at(stats, (COLLATED, self.identifier)), self.path)
        return not has_bounds and as_count(value_at(stats, ("nullCount", *self.path))) != rows


class Relabeling:
    """Decides which files of a table a refresh relabels instead of reading them.

    This is the decision of the jar, with ``spark.deltaCollations.stats.relabel.enabled`` at its
    default.
    """

    def __init__(self, columns: Iterable[Column], icu_version: str) -> None:
        """Require bounds in this version for all columns with statistics."""
        self._required = [
            _Required(column.statistics_collation, icu_version, column.path)
            for column in columns
            if column.statistics_collation is not None and column.not_collected is None
        ]

    def applies_to(self, file: DataFile) -> bool:
        """Return whether a file has all missing bounds under other ICU versions, proven to hold."""
        stats = file.stats or {}
        rows = as_count(stats.get("numRecords"))
        # Without rows no bounds are missing. Without a row count the file has to be read.
        if not rows:
            return False
        missing = [bounds for bounds in self._required if bounds.are_missing(stats, rows)]
        return bool(missing) and all(_is_proven(bounds, stats, file.tag) for bounds in missing)


def _is_proven(required: _Required, stats: Json, tag: str | None) -> bool:
    """Return whether bounds of another version hold, and can be copied to the required one."""
    entries = stats.get(COLLATED)
    if not isinstance(entries, dict):
        return False
    candidates = []
    for identifier, found in entries.items():
        collation, version = parse_identifier(identifier)
        if collation == required.collation.lower() and version != required.version:
            values = {side: value_at(found, (side, *required.path)) for side in MIN_AND_MAX}
            bounds = {side: str(value) for side, value in values.items() if is_bound(value)}
            if bounds:
                candidates.append((version, bounds))
    # The jar prefers a version with both bounds.
    for version, bounds in sorted(candidates, key=lambda candidate: -len(candidate[1])):
        if _compare_alike(required, version, bounds.values(), tag):
            targets = ((required.identifier, side, *required.path) for side in bounds)
            return any(_is_free(entries, target) for target in targets)
    return False


def _compare_alike(
    required: _Required, version: str, bounds: Iterable[str], tag: str | None
) -> bool:
    """Return whether no string that counts contains a code point that sorts differently.

    These are the values of the column, and the bounds, which may be longer after truncation.
    """
    changed = changed_code_points(required.collation, required.version, version)
    if changed is None:
        return False
    if not changed.ranges:
        return True
    if tag is None or any(changed.occur_in(bound) for bound in bounds):
        return False
    text = _code_points(tag).get(_key(required.path))
    blocks = parse_blocks(text) if isinstance(text, str) else None
    return blocks is not None and not changed.occur_in_blocks(blocks)


def _is_free(node: Json, path: Sequence[str]) -> bool:
    """Return whether a value can be put at a path without replacing that of another writer."""
    *parents, last = path
    for name in parents:
        if name not in node:
            return True
        node = node[name]
        if not isinstance(node, dict):
            return False
    return last not in node


# Files of one write often have equal tags, and all columns of a file share one.
@lru_cache(maxsize=64)
def _code_points(tag: str) -> Json:
    return (read_object(tag) if len(tag) <= _MAX_TAG_LENGTH else None) or {}


def _key(path: Names) -> str:
    """Return the key of a column in the tag; lengths are in UTF-16 units, as in Java."""
    return "".join(f"{len(name.encode('utf-16-le', 'surrogatepass')) // 2}:{name}" for name in path)
