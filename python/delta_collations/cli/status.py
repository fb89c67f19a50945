# SPDX-License-Identifier: Apache-2.0
"""The status of the statistics of collated columns, as ``collation_status`` reports it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from delta_collations.cli.stats_json import (
    COLLATED,
    as_count,
    has_bound,
    parse_identifier,
    value_at,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from delta_collations.cli.columns import Column
    from delta_collations.cli.delta_log import DataFile
    from delta_collations.cli.stats_json import Json

HEALTHY = "healthy"
UNKNOWN = "unknown collation"

# Limits the work on a corrupt log: no file has more versions of a collation, or longer ones.
_MAX_VERSIONS = 16
_MAX_VERSION_LENGTH = 64


@dataclass(frozen=True)
class Status:
    """The statistics of one column in one ICU version, with the columns of ``collation_status``."""

    column: str
    collation: str
    statistics_collation: str | None
    version: str | None
    is_current: bool
    status: str
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
    files_to_relabel: int
    files_to_read: int
    bytes_to_read: int
    lookup_share: None = None
    """Always None: bounds cannot be compared without ICU."""

    @property
    def needs_action(self) -> bool:
        """Whether a user has to do something about it."""
        return self.command is not None or self.status == UNKNOWN


class _Group(NamedTuple):
    """Files that do not differ in their statistics of one column."""

    versions: frozenset[str]  # for which the files have bounds
    needs_no_bounds: bool  # the column has only nulls or no rows
    can_be_relabeled: bool  # a refresh does not have to read the files

    def coverage(self, version: str | None) -> str:
        if self.needs_no_bounds or version in self.versions:
            return "covered"
        return "other_version" if self.versions else "missing"


class _Totals(NamedTuple):
    """The number of files in a group, with the sums of their rows and bytes."""

    files: int = 0
    rows: int = 0
    bytes: int = 0

    def plus(self, other: _Totals) -> _Totals:
        return _Totals(*map(sum, zip(self, other, strict=True)))


class ColumnStats:
    """Counts the files of a table by their statistics of one column.

    Memory does not grow with the number of files: only the totals of each group are kept.
    """

    def __init__(self, column: Column, current_version: str) -> None:
        """Start without files. ``current_version`` is the ICU version to report on."""
        self.column = column
        self._current_version = current_version
        self._groups: dict[_Group, _Totals] = defaultdict(_Totals)

    def add(self, file: DataFile, *, can_be_relabeled: bool) -> None:
        """Count one file."""
        stats = file.stats or {}
        rows = as_count(stats.get("numRecords"))
        group = self._group(stats, rows, can_be_relabeled=can_be_relabeled)
        self._groups[group] = self._groups[group].plus(_Totals(1, rows or 0, file.size))

    def statuses(self, table: str) -> list[Status]:
        """Return the status in the current version, then in each other version that files have."""
        if self.column.collation is None:
            return [self._row(None, UNKNOWN)]
        current = self._current_version
        found = {version for group in self._groups for version in group.versions}
        # In a corrupt log there may be more versions than ICU has. The highest are the likeliest.
        newest = sorted(found, key=_version_order)[-_MAX_VERSIONS:]
        others = [version for version in newest if version != current]
        status = self._status(current, others)
        needs_refresh = self.column.not_collected is None and status != HEALTHY
        name = table.replace("`", "``")
        command = f"ANALYZE TABLE delta.`{name}` COMPUTE DELTA STATISTICS"
        return [
            self._row(current, status, command if needs_refresh else None),
            *(
                self._row(version, f"not used: written by ICU {version}, current is {current}")
                for version in others
            ),
        ]

    def _group(self, stats: Json, rows: int | None, *, can_be_relabeled: bool) -> _Group:
        collation, path = self.column.statistics_collation, self.column.path
        if collation is None:
            return _Group(frozenset(), needs_no_bounds=False, can_be_relabeled=False)
        entries = stats.get(COLLATED)
        max_length = len(collation) + 1 + _MAX_VERSION_LENGTH
        versions = {
            version
            for identifier, bounds in (entries.items() if isinstance(entries, dict) else ())
            if len(identifier) <= max_length
            for lower, version in [parse_identifier(identifier)]
            if lower == collation.lower() and has_bound(bounds, path)
        }
        # The current version comes first, so that the limit never drops it.
        ranked = sorted(versions, key=lambda version: (version != self._current_version, version))
        nulls = as_count(value_at(stats, ("nullCount", *path)))
        return _Group(
            frozenset(ranked[:_MAX_VERSIONS]),
            needs_no_bounds=rows is not None and rows in (0, nulls),
            can_be_relabeled=can_be_relabeled,
        )

    def _status(self, current: str, others: Sequence[str]) -> str:
        if self.column.not_collected:
            return f"not collected: {self.column.not_collected}"
        coverages = {group.coverage(current) for group in self._groups}
        if coverages <= {"covered"}:
            return HEALTHY
        has_current = any(current in group.versions for group in self._groups)
        if not others and not has_current:
            return "missing: no file has statistics"
        if "missing" not in coverages and not has_current:
            return f"stale: written by ICU {_listed(others)}, current is {current}"
        uncovered = self._sum(lambda group: group.coverage(current) != "covered").files
        files = self._sum().files
        return f"partial: {uncovered} of {files} files without statistics of ICU {current}"

    def _row(self, version: str | None, status: str, command: str | None = None) -> Status:
        totals = {
            coverage: self._sum(lambda group, each=coverage: group.coverage(version) == each)  # type: ignore[misc]
            for coverage in ("covered", "other_version", "missing")
        }

        def to_refresh(group: _Group) -> bool:
            return command is not None and group.coverage(version) != "covered"

        to_read = self._sum(lambda group: to_refresh(group) and not group.can_be_relabeled)
        return Status(
            column=self.column.name,
            collation=self.column.identifier,
            statistics_collation=self.column.statistics_collation or self.column.collation,
            version=version,
            is_current=version in (None, self._current_version),
            status=status,
            command=command,
            files=self._sum().files,
            **{
                f"{figure}_{coverage}": getattr(total, figure)
                for figure in _Totals._fields
                for coverage, total in totals.items()
            },
            files_to_relabel=self._sum(to_refresh).files - to_read.files,
            files_to_read=to_read.files,
            bytes_to_read=to_read.bytes,
        )

    def _sum(self, is_included: Callable[[_Group], bool] = lambda _: True) -> _Totals:
        total = _Totals()
        for group, totals in self._groups.items():
            if is_included(group):
                total = total.plus(totals)
        return total


def _version_order(version: str) -> list[tuple[int, str]]:
    """Sort 9.2 before 10.1, and parts that are not numbers before all numbers."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in version.split(".")]


def _listed(versions: Sequence[str]) -> str:
    *first, last = versions
    return f"{', '.join(first)} and {last}" if first else last
