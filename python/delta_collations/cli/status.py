# SPDX-License-Identifier: Apache-2.0
"""Whether the statistics of collated columns are of use to the running ICU."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from delta_collations.cli.columns import Column
    from delta_collations.cli.delta_log import DataFile, Json

UNKNOWN = "unknown collation"

# A collation has no more versions, and none with a longer name; a log that says so is damaged.
_MOST_VERSIONS = 16
_LONGEST_VERSION = 64
_MOST = 2**63 - 1

_HALF_A_CHARACTER = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Status:
    """What the files of a table have for one column and one version."""

    column: str
    collation: str
    version: str | None
    is_running: bool
    verdict: str
    command: str | None
    files: int
    files_covered: int
    files_other_version: int
    files_missing: int
    rows_covered: int
    rows_other_version: int
    rows_missing: int
    bytes_covered: int
    bytes_other_version: int
    bytes_missing: int

    @property
    def needs_action(self) -> bool:
        """Whether somebody should do something about it."""
        return self.command is not None or self.verdict == UNKNOWN


class _Group(NamedTuple):
    """What files have in common that count alike, whatever the version."""

    versions: frozenset[str]  # those with a bound of the column
    needs_none: bool  # no value is there that could have one

    def kind(self, version: str | None) -> str:
        if self.needs_none or version in self.versions:
            return "covered"
        return "other_version" if self.versions else "missing"


class ColumnStats:
    """The files of a table, counted by what their statistics have for one column.

    A group has three sums, and there are as many groups as ways in which files differ: a handful.
    """

    def __init__(self, column: Column, running: str) -> None:
        """Start with no file; what is asked for is the version of the running ICU."""
        self.column = column
        self._running = running
        self._groups: dict[_Group, list[int]] = defaultdict(lambda: [0, 0, 0])

    def add(self, file: DataFile) -> None:
        """Count one file."""
        stats = file.stats or {}
        rows = counted(stats.get("numRecords"))
        sums = self._groups[self._group(stats, rows)]
        for place, figure in enumerate((1, rows or 0, file.size)):
            sums[place] += figure

    def statuses(self, table: str) -> list[Status]:
        """Return the row of the running version, then those of other versions that files have."""
        if self.column.key is None:
            return [self._status(None, UNKNOWN, is_running=True)]
        running = self._running
        found = {version for group in self._groups for version in group.versions}
        # Of more versions than there can be, those with the highest numbers are the likeliest.
        newest = sorted(found, key=_by_number)[-_MOST_VERSIONS:]
        others = [version for version in newest if version != running]
        verdict = self._verdict(running, others)
        is_mended_so = verdict.startswith(("missing", "stale", "partial"))
        name = table.replace("`", "``")
        command = f"ANALYZE TABLE delta.`{name}` COMPUTE DELTA STATISTICS" if is_mended_so else None
        return [
            self._status(running, verdict, command, is_running=True),
            *(
                self._status(version, f"not used: written by ICU {version}, running {running}")
                for version in others
            ),
        ]

    def _group(self, stats: Json, rows: int | None) -> _Group:
        key, path = self.column.key, self.column.path
        if key is None:
            return _Group(frozenset(), needs_none=False)
        bounds = stats.get("statsWithCollation")
        longest = len(key) + 1 + _LONGEST_VERSION
        versions = {
            version
            for identifier, found in (bounds.items() if isinstance(bounds, dict) else ())
            if len(identifier) <= longest
            for folded, version in [_parsed(identifier)]
            if folded == key.lower()
            # One is enough, since the other may be impossible to prove.
            and any(_is_bound(_at(found, (end, *path))) for end in ("minValues", "maxValues"))
        }
        # The running version must not be among those that are too many.
        ranked = sorted(versions, key=lambda version: (version != self._running, version))
        nulls = counted(_at(stats, ("nullCount", *path)))
        return _Group(
            frozenset(ranked[:_MOST_VERSIONS]), needs_none=rows is not None and rows in (0, nulls)
        )

    def _verdict(self, running: str, others: Sequence[str]) -> str:
        if self.column.without_statistics:
            return f"no statistics: {self.column.without_statistics}"
        kinds = [group.kind(running) for group in self._groups]
        if set(kinds) <= {"covered"}:
            return "healthy"
        has_running = any(running in group.versions for group in self._groups)
        if not others and not has_running:
            return "missing: no file has statistics"
        if "missing" not in kinds and not has_running:
            return f"stale: written by ICU {_listed(others)}, running {running}"
        sums = self._sums(running)
        lacking = sums["other_version"][0] + sums["missing"][0]
        return f"partial: {lacking} of {self._files} files without statistics of ICU {running}"

    def _status(
        self,
        version: str | None,
        verdict: str,
        command: str | None = None,
        *,
        is_running: bool = False,
    ) -> Status:
        figures = {
            f"{figure}_{kind}": sums[place]
            for kind, sums in self._sums(version).items()
            for place, figure in enumerate(("files", "rows", "bytes"))
        }
        column = self.column
        return Status(
            column.name,
            column.collation,
            version,
            is_running,
            verdict,
            command,
            files=self._files,
            **figures,
        )

    @property
    def _files(self) -> int:
        return sum(sums[0] for sums in self._groups.values())

    def _sums(self, version: str | None) -> dict[str, list[int]]:
        """Return the files, rows and bytes of each kind."""
        kinds = {"covered": [0, 0, 0], "other_version": [0, 0, 0], "missing": [0, 0, 0]}
        for group, sums in self._groups.items():
            kind = group.kind(version)
            kinds[kind] = [had + more for had, more in zip(kinds[kind], sums, strict=True)]
        return kinds


# Every file has the same few, or else a log is damaged, and must not fill the memory.
@lru_cache(maxsize=1024)
def _parsed(identifier: str) -> tuple[str, str]:
    """Return ``provider.name`` in one spelling, and the version, of a key of statistics."""
    provider, _, rest = identifier.partition(".")
    name, _, version = rest.partition(".")
    return (f"{provider}.{name}".lower(), version) if version else ("", "")


def counted(found: object) -> int | None:
    """Return how many there are of something, if the number is one that Delta can count by."""
    return found if type(found) is int and 0 <= found <= _MOST else None


def _is_bound(found: object) -> bool:
    return isinstance(found, str) and not _HALF_A_CHARACTER.search(found)


def _at(node: object, path: Iterable[str]) -> object:
    """Return what stands at the end of ``path``, or None."""
    for name in path:
        node = node.get(name) if isinstance(node, dict) else None
    return node


def _by_number(version: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in version.split(".")]


def _listed(versions: Sequence[str]) -> str:
    *first, last = versions
    return f"{', '.join(first)} and {last}" if first else last
