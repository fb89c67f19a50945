# SPDX-License-Identifier: Apache-2.0

"""Compares a table with the journals of its writers, read by Spark and by ``deltalake``."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
from deltalake import DeltaTable
from robustness.harness import log_checks, write_history
from robustness.harness.sessions import journal_folder
from support import platforms
from support.tables import (
    Log,
    Table,
    icu_version,
    kernel_schema,
    setting,
    values_outside_bounds,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from support.tables import Json

SKIPPING = "spark.deltaCollations.skipping.enabled"


@dataclass(frozen=True)
class UncheckedLog(Log):
    """The log of a table without the files whose bounds were already compared with their rows.

    Rows of a file can be deleted but not added, so correct bounds stay correct.
    """

    checked: set[str]

    @property
    def files(self) -> dict[str, Json]:
        """The files whose bounds were not compared yet."""
        return {
            path: file
            for path, file in super().files.items()
            if file_key(path, file) not in self.checked
        }


def file_key(path: str, file: Json) -> str:
    """Return a string that identifies a file and its bounds."""
    return json.dumps([path, file["stats"]])


def faults_of(table: Table, checked: set[str] | None = None) -> list[str]:
    """Return a description of each fault of a table.

    The bounds of files in ``checked`` are not compared again.
    """
    commits, known = table.log.commits, write_history.outcomes(journal_folder(table))
    *_, content = write_history.replay(commits, known)
    rows: list[write_history.Row] = table.rows("SELECT id, rev, name, nick FROM {t}")
    return [
        *write_history.disagreements(commits, known),
        *differences("Spark", rows, content.rows),
        *differences("deltalake", read_with_deltalake(table), content.rows),
        *log_checks.domain_faults(commits),
        *(f"outside its bounds: {place}" for place in outside_bounds(table, checked)),
    ]


def outside_bounds(table: Table, checked: set[str] | None) -> list[str]:
    """Return values outside the bounds of their files, and add the files to ``checked``."""
    unchecked = Table(table.spark, table.path)
    unchecked.log = UncheckedLog(table.path, set() if checked is None else checked)
    files = unchecked.log.files
    found = values_outside_bounds(unchecked) if files else []
    unchecked.log.checked.update(file_key(*file) for file in files.items())
    return found


def differences(
    reader: str, rows: Iterable[write_history.Row] | None, expected: list[write_history.Row]
) -> list[str]:
    """Return rows that are lost, duplicated or unexpected."""
    if rows is None:
        return []
    found = sorted(rows)
    lost, extra = set(expected) - set(found), set(found) - set(expected)
    duplicates = len(found) - len(set(found))
    if not (lost or extra or duplicates):
        return []
    some = sorted(lost)[:3], sorted(extra)[:3]
    return [f"{reader}: {len(lost)} lost, {len(extra)} unexpected, {duplicates} duplicated: {some}"]


def read_with_deltalake(table: Table) -> list[write_history.Row] | None:
    """Return the rows read by ``deltalake``, or None for deletion vectors, which need Kernel."""
    features = table.log.protocol.get("readerFeatures", [])
    if "deletionVectors" in features:
        assert not platforms.HAS_KERNEL or kernel_schema(table.spark, table.path)
        return None
    rows = pa.table(DeltaTable(str(table.path)).to_pyarrow_table())
    return [tuple(row.values()) for row in rows.select(["id", "rev", "name", "nick"]).to_pylist()]


def wrong_skips(table: Table, batches: Iterable[int]) -> list[str]:
    """Return queries whose rows differ with and without skipping."""
    found = []
    for batch in batches:
        for literal in (write_history.key(batch).swapcase(), write_history.key(batch)[:2].lower()):
            for sign in ("=", "<", ">="):
                query = f"SELECT id FROM {{t}} WHERE name {sign} '{literal}'"
                rows = sorted(table.column(query))
                with setting(table.spark, SKIPPING, "false"):
                    if rows != sorted(table.column(query)):
                        found.append(query)
    return found


def wrong_reads(table: Table) -> list[str]:
    """Return recorded reads that match no version that existed at the time."""
    known = write_history.outcomes(journal_folder(table))
    reads = [entry for entry in write_history.entries(journal_folder(table)) if "read" in entry]
    lookups = [entry for entry in write_history.entries(journal_folder(table)) if "lookup" in entry]
    digests, revisions = [], []
    for content in write_history.replay(table.log.commits, known):
        digests.append(write_history.digest(content.rows))
        revisions.append(dict(content.revisions))
    found = []
    for entry in reads:
        first, last = entry["versions"]
        if entry["read"] not in digests[first : last + 1]:
            found.append(f"{entry['rows']} rows that match no version from {first} to {last}")
    for entry in lookups:
        if not entry["agrees"]:
            found.append(f"skipping changed the result: {entry['lookup']}")
        if "batch" in entry:
            batches = revisions[entry["version"]]
            expected = [
                row[0]
                for row in write_history.rows_of(entry["batch"], 0)
                if entry["batch"] in batches
            ]
            if entry["ids"] != expected:
                found.append(f"{entry['lookup']} found {entry['ids']}")
    return found


def files_without_bounds(table: Table, version: str) -> int:
    """Count the files that lack bounds of a column for its collation and this ICU version."""
    keys = {
        column: f"{table.log.collations(column)[column]}.{version}"  # type: ignore[index]
        for column in ("name", "nick")
    }
    return sum(1 for stats in table.log.stats if not has_bounds(stats, keys))


def has_bounds(stats: Json | None, keys: dict[str, str]) -> bool:
    collated = (stats or {}).get("statsWithCollation") or {}
    return all(
        column in collated.get(identifier, {}).get(end, {})
        for column, identifier in keys.items()
        for end in ("minValues", "maxValues")
    )


def refresh_faults(table: Table) -> list[str]:
    """Refresh twice; the first must update all files without bounds, the second none."""
    version = icu_version(table.spark)
    missing = files_without_bounds(table, version)
    statement = "ANALYZE TABLE {t} COMPUTE DELTA STATISTICS"
    first, second = (table.sql(statement).collect()[0]["files_refreshed"] for _ in range(2))
    left = files_without_bounds(table, version)
    if (first, second, left) == (missing, 0, 0):
        return []
    return [f"{missing} lacked bounds, {first} then {second} were refreshed, {left} lack them"]


def unfinished_commits(table: Path) -> int:
    """Count the temporary files of unfinished commits, which readers must ignore."""
    return sum(1 for path in (table / "_delta_log").iterdir() if re.search(r"\.tmp$", path.name))


def summary(table: Table) -> Json:
    """Return the number of operations, conflicts and reads for the report."""
    known = write_history.outcomes(journal_folder(table))
    done: dict[str, int] = {}
    conflicts: dict[str, int] = {}
    for outcome in known.values():
        if outcome.done:
            kind = outcome.operation.kind
            done[kind] = done.get(kind, 0) + 1
        elif outcome.error:
            conflict = log_checks.conflict_of(outcome.error)
            pair = f"{outcome.operation.kind}: {conflict}"
            conflicts[pair] = conflicts.get(pair, 0) + 1
    notes = list(write_history.entries(journal_folder(table)))
    return {
        "commits": len(table.log.commits),
        "done": done,
        "conflicts": conflicts,
        "reads": sum("read" in note for note in notes),
        "lookups": sum("lookup" in note for note in notes),
    }
